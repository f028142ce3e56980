public import TrendyFoundation
import TrendyModels
public import TrendyProtocols

/// Posts JSON documents to servers other than a hub, such as webhook receivers.
///
/// Redirects are returned like any other response. Certificates and proxy variables are handled as for a hub.
public struct DocumentPoster: Sendable {
  /// Response from the server.
  public struct Answer: Hashable, Sendable {
    /// HTTP status code.
    public var status: Int
    /// Delay that the server requested with `Retry-After`, at most one day.
    public var retryAfter: Duration?
  }

  private let clock: any TimeSource
  private let deadline: Duration
  private let transport: URLSessionTransport

  /// Creates a poster with separate connections.
  ///
  /// - Parameters:
  ///   - clock: measures the deadline.
  ///   - deadline: maximum time until the response header arrives.
  public init(clock: any TimeSource = SystemTime(), deadline: Duration = .seconds(15)) {
    self.clock = clock
    self.deadline = deadline
    transport = URLSessionTransport()
  }

  /// Sends one POST request.
  ///
  /// - Throws: `APIError` if there is no response, or `CancellationError` if the task is cancelled.
  public func post(_ body: Data, to url: URL, headers: [String: String] = [:]) async throws -> Answer {
    guard let address = HubAddress(originOf: url) else {
      throw APIError.networkError("the URL must begin with http:// or https://")
    }
    let connection = HubConnection(
      address: address, token: nil, clock: clock, deadline: deadline, bodyLimit: 0, transport: transport)
    let path = url.path(percentEncoded: true)
    let query = url.query(percentEncoded: true).map { "?\($0)" } ?? ""
    let head = try await connection.head(
      HTTPRequest(method: .post, path: (path.isEmpty ? "/" : path) + query, headers: headers, body: body))
    let delay = head["retry-after"].flatMap { RetryAfter.duration($0, date: head["date"], now: clock.now) }
    return Answer(status: head.status, retryAfter: delay)
  }
}
