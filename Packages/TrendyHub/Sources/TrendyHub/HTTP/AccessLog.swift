/// Takes one line for each answered request. It is called from many threads and must not block.
public typealias AccessLog = @Sendable (AccessLogEntry) -> Void

/// What may be known of a request afterwards: no body, no query, no token.
public struct AccessLogEntry: Hashable, Sendable {
  public var requestId: String
  /// Empty when the request could not be read.
  public var method: String
  /// Without its query; empty when the request could not be read.
  public var path: String
  public var status: Int
  public var remoteAddress: String
  /// The device whose token was shown, once it was found good.
  public var device: String?
  public var duration: Duration
  /// Of a 5xx, what the one who asked was not told: in words for the one who runs the hub.
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
