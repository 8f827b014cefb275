// grpc.testing.TestService on grpc-go, as the interop test descriptions demand of a server, but for
// compression: grpc-go does not tell a handler whether a request came compressed, and does not
// compress single messages.
//
// usage: server [CERTIFICATE KEY]
//
// Listens on the port in the variable PORT, or on any. Prints its port. Ends when its standard input is
// closed.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	_ "google.golang.org/grpc/encoding/gzip"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	testing "grpc/testing"
)

const (
	initialName  = "x-grpc-test-echo-initial"
	trailingName = "x-grpc-test-echo-trailing-bin"
)

type service struct {
	testing.UnimplementedTestServiceServer
}

// echo returns the metadata to send before and after the messages.
func echo(ctx context.Context) (initial, trailing metadata.MD) {
	received, _ := metadata.FromIncomingContext(ctx)
	return metadata.MD{initialName: received[initialName]},
		metadata.MD{trailingName: received[trailingName]}
}

func requested(echo *testing.EchoStatus) error {
	return status.Error(codes.Code(echo.GetCode()), echo.GetMessage())
}

func (*service) EmptyCall(ctx context.Context, _ *testing.Empty) (*testing.Empty, error) {
	return &testing.Empty{}, nil
}

func (*service) UnaryCall(
	ctx context.Context, request *testing.SimpleRequest,
) (*testing.SimpleResponse, error) {
	initial, trailing := echo(ctx)
	if err := grpc.SetHeader(ctx, initial); err != nil {
		return nil, err
	}
	if err := grpc.SetTrailer(ctx, trailing); err != nil {
		return nil, err
	}
	if err := requested(request.GetResponseStatus()); err != nil {
		return nil, err
	}
	body := make([]byte, request.ResponseSize)
	return &testing.SimpleResponse{Payload: &testing.Payload{Body: body}}, nil
}

func (*service) StreamingInputCall(stream testing.TestService_StreamingInputCallServer) error {
	size := 0
	for {
		request, err := stream.Recv()
		if err == io.EOF {
			return stream.SendAndClose(
				&testing.StreamingInputCallResponse{AggregatedPayloadSize: int32(size)})
		}
		if err != nil {
			return err
		}
		size += len(request.GetPayload().GetBody())
	}
}

func (*service) StreamingOutputCall(
	request *testing.StreamingOutputCallRequest,
	stream testing.TestService_StreamingOutputCallServer,
) error {
	return answer(request, stream)
}

func (*service) FullDuplexCall(stream testing.TestService_FullDuplexCallServer) error {
	initial, trailing := echo(stream.Context())
	if err := stream.SetHeader(initial); err != nil {
		return err
	}
	stream.SetTrailer(trailing)
	for {
		request, err := stream.Recv()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if err := answer(request, stream); err != nil {
			return err
		}
	}
}

type sender interface {
	Send(*testing.StreamingOutputCallResponse) error
}

func answer(request *testing.StreamingOutputCallRequest, stream sender) error {
	for _, parameters := range request.GetResponseParameters() {
		time.Sleep(time.Duration(parameters.IntervalUs) * time.Microsecond)
		body := make([]byte, parameters.Size)
		response := &testing.StreamingOutputCallResponse{Payload: &testing.Payload{Body: body}}
		if err := stream.Send(response); err != nil {
			return err
		}
	}
	return requested(request.GetResponseStatus())
}

func main() {
	var options []grpc.ServerOption
	if len(os.Args) > 2 {
		tls, err := credentials.NewServerTLSFromFile(os.Args[1], os.Args[2])
		if err != nil {
			log.Fatal(err)
		}
		options = append(options, grpc.Creds(tls))
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "0"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	server := grpc.NewServer(options...)
	testing.RegisterTestServiceServer(server, &service{})
	go func() {
		io.Copy(io.Discard, os.Stdin)
		server.Stop()
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	if err := server.Serve(listener); err != nil {
		log.Fatal(err)
	}
}
