public import TrendyFoundation
import TrendyModels
public import TrendyProtocols

/// Posts JSON documents to servers that are no hubs, such as the receivers of webhooks.
///
/// A redirect is an answer as any other. Certificates, and the proxies of the environment, count as for a hub.
public struct DocumentPoster: Sendable {
  public struct Answer: Hashable, Sendable {
    public var status: Int
    /// How long the server asked to be left alone, a day at most.
    public var retryAfter: Duration?
  }

  private let clock: any TimeSource
  private let deadline: Duration
  private let transport: URLSessionTransport

  /// - Parameters:
  ///   - clock: what the deadline is measured by.
  ///   - deadline: from the sending to the head of the answer.
  public init(clock: any TimeSource = SystemTime(), deadline: Duration = .seconds(15)) {
    self.clock = clock
    self.deadline = deadline
    transport = URLSessionTransport()
  }

  /// Posts once.
  /// - Throws: `APIError` where no answer came, or `CancellationError`.
  public func post(_ body: Data, to url: URL, headers: [String: String] = [:]) async throws -> Answer {
    guard let address = HubAddress(originOf: url) else {
      throw APIError.networkError("the address is no http or https")
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
