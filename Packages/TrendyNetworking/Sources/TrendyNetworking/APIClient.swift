public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// HTTP client for a hub. Implements every operation in `NetworkClientProtocol`.
///
/// Keep one client per hub address: it owns a `URLSession` with its open connections. Operations throw `APIError`, or
/// `CancellationError` as soon as the task is cancelled. A missed deadline is `timedOut`. Redirects are not followed.
/// Descriptions and errors never contain the token.
public final class APIClient: NetworkClientProtocol {
  /// Address of the hub.
  public let address: HubAddress
  let hub: HubConnection
  /// Separate connection for the signal stream; see ``HubConnection/useConnection()``.
  let signals: HubConnection

  /// Maximum size in bytes of a response that is read as a whole.
  static let bodyLimit = 64 * 1024 * 1024

  /// Creates a client for one hub.
  ///
  /// - Parameters:
  ///   - baseURL: hub address with or without `/api/v1`.
  ///   - token: called before each request. Whitespace is removed. Without a token the request fails like a 401.
  ///   - clock: measures the deadline.
  ///   - deadline: maximum time from the start of a request to the last byte of its response. For a snapshot, maximum
  ///     time between two chunks.
  ///   - allowsInsecureHTTP: whether the token may be sent unencrypted over a network.
  ///   - report: device status to send with each request, or `nil` to send none.
  /// - Throws: ``HubAddressError`` for an invalid or insecure address.
  public init(
    baseURL: URL, token: @escaping @Sendable () async throws -> String?, clock: any TimeSource = SystemTime(),
    deadline: Duration = .seconds(15), allowsInsecureHTTP: Bool = false,
    report: (@Sendable () -> DeviceReport?)? = nil
  ) throws(HubAddressError) {
    address = try HubAddress(baseURL, allowsInsecureHTTP: allowsInsecureHTTP)
    hub = HubConnection(
      address: address, token: token, clock: clock, deadline: deadline, bodyLimit: Self.bodyLimit,
      transport: URLSessionTransport(), report: report)
    var signals = hub
    signals.transport = URLSessionTransport()
    self.signals = signals
  }

  /// Creates a client with a constant token.
  public convenience init(
    baseURL: URL, token: String, clock: any TimeSource = SystemTime(), deadline: Duration = .seconds(15),
    allowsInsecureHTTP: Bool = false
  ) throws(HubAddressError) {
    try self.init(
      baseURL: baseURL, token: { token }, clock: clock, deadline: deadline, allowsInsecureHTTP: allowsInsecureHTTP)
  }

  /// Exchanges a pairing code for this device's token.
  ///
  /// A code is valid once and for a short time. Whitespace in the code is ignored. A device that already has a record
  /// passes its `user`. The hub then rejects a code from another user with a `problem` of type `other_person`, and the
  /// code remains valid.
  ///
  /// - Throws: ``HubAddressError`` for an invalid address, otherwise `APIError`. A wrong code throws a `problem`.
  public static func pair(
    baseURL: URL, code: String, deviceName: String, user: String? = nil, clock: any TimeSource = SystemTime(),
    deadline: Duration = .seconds(15), allowsInsecureHTTP: Bool = false
  ) async throws -> PairResponse {
    let hub = HubConnection(
      address: try HubAddress(baseURL, allowsInsecureHTTP: allowsInsecureHTTP), token: nil, clock: clock,
      deadline: deadline, bodyLimit: bodyLimit, transport: URLSessionTransport())
    let request = PairRequest(code: code.filter { !$0.isWhitespace }, deviceName: deviceName, user: user)
    return try await hub.document(
      PairResponse.self, HTTPRequest(method: .post, path: "/pair", body: try WireJSON.encode(request)))
  }

  /// Does nothing, because a check cannot predict whether the next request will succeed.
  public func checkHealth() async throws {}
}

extension APIClient: CustomStringConvertible {
  /// Name of the hub, without the token.
  public var description: String { "APIClient(\(address.name))" }
}
