// A server of Go's net/http: prints its address, and serves until it is ended.
package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"log"
	"math/rand"
	"net"
	"net/http"
	"strconv"
	"strings"
)

func text(n int) []byte { return []byte(strings.Repeat("0123456789", n/10)) }

func echo(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), 400)
		return
	}
	w.Header().Set("X-Method", r.Method)
	w.Header().Set("X-Path", r.URL.String())
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.Write(body)
}

// Echoes, and ends the connection now and then: with a word, or without one behind the answer.
func restless(w http.ResponseWriter, r *http.Request) {
	switch rand.Intn(10) {
	case 0:
		w.Header().Set("Connection", "close")
		echo(w, r)
	case 1:
		body, _ := io.ReadAll(r.Body)
		connection, buffer, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		fmt.Fprintf(buffer, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", len(body))
		buffer.Write(body)
		buffer.Flush()
		connection.Close()
	default:
		echo(w, r)
	}
}

func main() {
	mux := http.NewServeMux()
	mux.HandleFunc("/echo", echo)
	mux.HandleFunc("/restless", restless)
	mux.HandleFunc("/sized", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "2000000")
		w.Write(text(2000000))
	})
	mux.HandleFunc("/chunked", func(w http.ResponseWriter, r *http.Request) {
		for i := 1; i < 200; i++ {
			w.Write(text(i * 10))
			w.(http.Flusher).Flush()
		}
	})
	mux.HandleFunc("/trailers", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Trailer", "X-Sum")
		w.Write([]byte("with trailers"))
		w.(http.Flusher).Flush()
		w.Header().Set("X-Sum", "13")
	})
	mux.HandleFunc("/early", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Link", "</style.css>; rel=preload")
		w.WriteHeader(103)
		w.WriteHeader(103)
		w.Write([]byte("after the hints"))
	})
	mux.HandleFunc("/close", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		w.Write([]byte("closed"))
	})
	mux.HandleFunc("/gzip", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		writer := gzip.NewWriter(w)
		writer.Write(text(50000))
		writer.Close()
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/echo", 307)
	})
	mux.HandleFunc("/status/", func(w http.ResponseWriter, r *http.Request) {
		code, _ := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/status/"))
		w.WriteHeader(code)
	})
	mux.HandleFunc("/unread", func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(413)
		w.Write([]byte("too large"))
	})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(listener.Addr())
	log.Fatal(http.Serve(listener, mux))
}
