#!/usr/bin/env bash
# Makes the certificates that tests use, anew, for a hundred years. Nothing else trusts them: the
# authorities' keys are thrown away, and every key in this folder is public.
set -euo pipefail
cd "$(dirname "$0")"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

key() { openssl ecparam -name prime256v1 -genkey -noout | openssl pkcs8 -topk8 -nocrypt -out "$1"; }

authority() { # name, common name
    key "$scratch/$1.key"
    openssl req -x509 -new -key "$scratch/$1.key" -days 36500 -subj "/CN=$2" -out "$1.pem" \
        -addext basicConstraints=critical,CA:true -addext keyUsage=critical,keyCertSign,cRLSign
}

leaf() { # name, common name, authority, extended usage, subjectAltName ('' for none), start, end
    key "$1.key"
    openssl req -new -key "$1.key" -subj "/CN=$2" -out "$scratch/$1.csr"
    printf 'basicConstraints=CA:false\nkeyUsage=digitalSignature\nextendedKeyUsage=%s\n' "$4" \
        >"$scratch/$1.ext"
    [ -z "$5" ] || printf 'subjectAltName=%s\n' "$5" >>"$scratch/$1.ext"
    mkdir -p "$scratch/$1.d"
    : >"$scratch/$1.d/index"
    printf '[ca]\ndefault_ca=d\n[d]\ndatabase=%s\nnew_certs_dir=%s\ndefault_md=sha256\n' \
        "$scratch/$1.d/index" "$scratch/$1.d" >"$scratch/$1.cnf"
    printf 'policy=p\nrand_serial=yes\n[p]\ncommonName=supplied\n' >>"$scratch/$1.cnf"
    openssl ca -batch -notext -config "$scratch/$1.cnf" -cert "$3.pem" -keyfile "$scratch/$3.key" \
        -in "$scratch/$1.csr" -extfile "$scratch/$1.ext" -startdate "$6" -enddate "$7" \
        -out "$1.pem"
}

names='DNS:localhost,DNS:*.test.swiftlet.example,IP:127.0.0.1,IP:::1'
from=20200101000000Z to=21200101000000Z
authority ca 'Swiftlet test authority'
authority other-ca 'Another test authority'
# Text that a hostile server would put into its certificate.
authority hostile-ca $'Evil\n\x1b[31m authority'
many=$(for n in $(seq 0 39); do printf ',DNS:a%d.example' "$n"; done)
leaf hostile evil hostile-ca serverAuth $'DNS:evil\x1b[31m.example'"$many" $from $to
leaf server localhost ca serverAuth "$names" $from $to
leaf client 'swiftlet client' ca clientAuth '' $from $to
leaf expired localhost ca serverAuth "$names" $from 20210101000000Z
leaf wrong-host elsewhere.example ca serverAuth 'DNS:elsewhere.example,IP:192.0.2.1' $from $to
leaf nameless localhost ca serverAuth '' $from $to
leaf unknown-authority localhost other-ca serverAuth "$names" $from $to
leaf unknown-client 'stranger' other-ca clientAuth '' $from $to
authority mesh-ca 'Authority of a mesh'
leaf mesh payments mesh-ca serverAuth,clientAuth \
    'URI:spiffe://mesh.example/payments,DNS:payments.example,email:ops@mesh.example,IP:192.0.2.7,IP:::7' \
    $from $to
