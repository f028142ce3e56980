/// Receives one entry for each response. Called on many threads and must not block.
public typealias AccessLog = @Sendable (AccessLogEntry) -> Void

/// One request in the access log, without its body, query or token.
public struct AccessLogEntry: Hashable, Sendable {
  public var requestId: String
  /// Method, or an empty string if the request could not be parsed.
  public var method: String
  /// Path without the query, or an empty string if the request could not be parsed.
  public var path: String
  public var status: Int
  public var remoteAddress: String
  /// Id of the authenticated device.
  public var device: String?
  public var duration: Duration
  /// Cause of a 5xx status, for the operator. Not part of the response.
  public var failure: String?

  public init(
    requestId: String, method: String, path: String, status: Int, remoteAddress: String, device: String? = nil,
    duration: Duration = .zero, failure: String? = nil
  ) {
    self.requestId = requestId
    self.method = method
    self.path = path
    self.status = status
    self.remoteAddress = remoteAddress
    self.device = device
    self.duration = duration
    self.failure = failure
  }
}
