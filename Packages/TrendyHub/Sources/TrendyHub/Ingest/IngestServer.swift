import Foundation
import TrendyModels
public import TrendyProtocols

/// Accepts requests from trackers on a machine without a hub, on a hub's paths and with a single token.
public final class IngestServer: Sendable {
  private let transport: any HTTPTransport
  private let tokenHash: String
  private let ingest: any Ingest
  private let configuration: HubConfiguration
  private let clock: any TimeSource
  private let log: AccessLog?

  /// Creates a server. `configuration` contains the allowed host names and the trusted proxies.
  public init(
    transport: any HTTPTransport, token: String, ingest: any Ingest,
    configuration: HubConfiguration = HubConfiguration(), clock: any TimeSource = SystemTime(), log: AccessLog? = nil
  ) {
    self.transport = transport
    tokenHash = SHA256Digest.hexadecimal(of: token)
    self.ingest = ingest
    self.configuration = configuration
    self.clock = clock
    self.log = log
  }

  /// Serves requests until ``stop()``.
  ///
  /// - Returns: The bound port.
  public func start() async throws(HTTPTransportError) -> UInt16 {
    try await transport.start { [self] request in await handle(request) }
  }

  /// Stops the server.
  public func stop() async { await transport.stop() }

  /// Processes one request without using a socket.
  public func handle(_ request: HTTPRequest) async -> HTTPResponse {
    let start = clock.uptime
    var failure: String?
    var response: HTTPResponse
    do {
      response = try await answer(request, failure: &failure)
    } catch let problem as Problem {
      response = problem.response(instance: String(request.path), requestId: request.id)
    } catch {
      failure = "\(error)"
      response = Problem(
        "internal", status: 500, title: "Internal error",
        detail: "the request failed and nothing was confirmed: the log has details under the request id"
      ).response(instance: String(request.path), requestId: request.id)
    }
    response.headers["X-Request-Id"] = request.id
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Cache-Control"] = "no-store"
    log?(
      AccessLogEntry(
        requestId: request.id, method: request.method, path: String(request.path), status: response.status,
        remoteAddress: configuration.sender(of: request), duration: clock.uptime - start, failure: failure))
    return response
  }

  private func answer(_ request: HTTPRequest, failure: inout String?) async throws -> HTTPResponse {
    try configuration.check(namesOf: request)
    if request.path == "/health", request.method == "GET" || request.method == "HEAD" {
      return .json(["status": "ok", "version": "1"])
    }
    guard let asked = IngestRequest(request) else {
      throw Problem.notFound(
        "\(request.path.prefix(200)) not found: use /pub, /overland, /gpslogger, /osmand or /webhook/…")
    }
    if let problem = asked.problem(ofMethod: request.method) { throw problem }
    // Compare hashes, so the duration of the comparison reveals nothing about the token.
    guard let token = request.ingestToken, SHA256Digest.hexadecimal(of: token) == tokenHash else {
      throw Problem.noIngestToken
    }
    let answer = try await ingest.take(asked, from: IngestSender(user: "", device: ""))
    failure = answer.delay
    return asked.response(to: answer)
  }
}
