// grpc.testing.TestService on gRPC C++, as the interop test descriptions demand of a server.
//
// usage: server [CERTIFICATE KEY]
//
// Listens on the port in the variable PORT, or on any. Prints its port. Ends when its standard input is
// closed.
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <thread>

#include "grpc/testing/test.grpc.pb.h"

// Exported by libgrpc, and declared in none of its installed headers.
uint32_t grpc_call_test_only_get_message_flags(grpc_call* call);

namespace {

using grpc::ServerContext;
using grpc::Status;
using grpc::WriteOptions;
using namespace grpc::testing;

// GRPC_WRITE_INTERNAL_TEST_ONLY_WAS_COMPRESSED of the library.
constexpr uint32_t kWasCompressed = 0x40000000u;

void EchoMetadata(ServerContext* context) {
  for (const auto& [name, value] : context->client_metadata()) {
    const std::string text(value.data(), value.size());
    if (name == "x-grpc-test-echo-initial") {
      context->AddInitialMetadata("x-grpc-test-echo-initial", text);
    } else if (name == "x-grpc-test-echo-trailing-bin") {
      context->AddTrailingMetadata("x-grpc-test-echo-trailing-bin", text);
    }
  }
}

template <typename Request>
Status Requested(const Request& request) {
  if (!request.has_response_status() || request.response_status().code() == 0) return Status::OK;
  return Status(
      static_cast<grpc::StatusCode>(request.response_status().code()),
      request.response_status().message());
}

// Whether the message that was read last is compressed where the client says so, and only there.
template <typename Request>
bool IsCompressedAsExpected(ServerContext* context, const Request& request) {
  const uint32_t flags = grpc_call_test_only_get_message_flags(context->c_call());
  return !request.has_expect_compressed() ||
         request.expect_compressed().value() == ((flags & kWasCompressed) != 0);
}

Status UnexpectedCompression() {
  return Status(grpc::StatusCode::INVALID_ARGUMENT, "unexpected compression of the request");
}

class Service final : public TestService::Service {
  Status EmptyCall(ServerContext* context, const Empty*, Empty*) override {
    EchoMetadata(context);
    return Status::OK;
  }

  Status UnaryCall(
      ServerContext* context, const SimpleRequest* request, SimpleResponse* response) override {
    EchoMetadata(context);
    if (!IsCompressedAsExpected(context, *request)) return UnexpectedCompression();
    context->set_compression_algorithm(
        request->response_compressed().value() ? GRPC_COMPRESS_GZIP : GRPC_COMPRESS_NONE);
    response->mutable_payload()->set_body(std::string(request->response_size(), '\0'));
    return Requested(*request);
  }

  Status StreamingInputCall(
      ServerContext* context, grpc::ServerReader<StreamingInputCallRequest>* reader,
      StreamingInputCallResponse* response) override {
    EchoMetadata(context);
    int size = 0;
    StreamingInputCallRequest request;
    while (reader->Read(&request)) {
      if (!IsCompressedAsExpected(context, request)) return UnexpectedCompression();
      size += static_cast<int>(request.payload().body().size());
    }
    response->set_aggregated_payload_size(size);
    return Status::OK;
  }

  Status StreamingOutputCall(
      ServerContext* context, const StreamingOutputCallRequest* request,
      grpc::ServerWriter<StreamingOutputCallResponse>* writer) override {
    EchoMetadata(context);
    for (const auto& parameters : request->response_parameters()) {
      if (parameters.compressed().value()) context->set_compression_algorithm(GRPC_COMPRESS_GZIP);
    }
    Answer(*request, writer);
    return Requested(*request);
  }

  Status FullDuplexCall(
      ServerContext* context,
      grpc::ServerReaderWriter<StreamingOutputCallResponse, StreamingOutputCallRequest>* stream)
      override {
    EchoMetadata(context);
    StreamingOutputCallRequest request;
    while (stream->Read(&request)) {
      Answer(request, stream);
      if (const Status status = Requested(request); !status.ok()) return status;
    }
    return Status::OK;
  }

  template <typename Stream>
  static void Answer(const StreamingOutputCallRequest& request, Stream* stream) {
    for (const auto& parameters : request.response_parameters()) {
      std::this_thread::sleep_for(std::chrono::microseconds(parameters.interval_us()));
      StreamingOutputCallResponse response;
      response.mutable_payload()->set_body(std::string(parameters.size(), '\0'));
      WriteOptions options;
      if (!parameters.compressed().value()) options.set_no_compression();
      if (!stream->Write(response, options)) return;
    }
  }
};

std::string Content(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::shared_ptr<grpc::ServerCredentials> Credentials(int count, char** arguments) {
  if (count < 3) return grpc::InsecureServerCredentials();
  grpc::SslServerCredentialsOptions options;
  options.pem_key_cert_pairs.push_back({Content(arguments[2]), Content(arguments[1])});
  return grpc::SslServerCredentials(options);
}

}  // namespace

int main(int count, char** arguments) {
  Service service;
  grpc::ServerBuilder builder;
  int port = 0;
  const char* const wanted = std::getenv("PORT");
  builder.AddListeningPort(
      std::string("127.0.0.1:") + (wanted ? wanted : "0"), Credentials(count, arguments), &port);
  builder.RegisterService(&service);
  const std::unique_ptr<grpc::Server> server = builder.BuildAndStart();
  if (!server || port == 0) return 1;
  std::cout << port << std::endl;
  std::cin.ignore(std::numeric_limits<std::streamsize>::max());
  server->Shutdown(std::chrono::system_clock::now());
}
