public import TrendyFoundation
public import TrendyModels
public import TrendyProtocols

/// A device's way to its hub: every operation of `NetworkClientProtocol` over HTTP.
///
/// Keep one for as long as its address lasts: it holds one `URLSession` and its open connections. Every operation throws
/// `APIError`, or `CancellationError` as soon as its task is cancelled; a request that met its deadline is a `networkError`.
/// Redirects are not followed, and the token is in no text that this type gives.
public final class APIClient: NetworkClientProtocol {
  /// The hub.
  public let address: HubAddress
  let hub: HubConnection
  /// The way of the signals alone; see ``HubConnection/useConnection()``.
  let signals: HubConnection

  /// The most an answer that is read whole may hold, in bytes.
  static let bodyLimit = 64 * 1024 * 1024

  /// - Parameters:
  ///   - baseURL: with or without `/api/v1`.
  ///   - token: asked for before each request; without one the request fails as a 401 would. White space around it is left out.
  ///   - clock: what the deadline is measured by.
  ///   - deadline: how long a request may take from its beginning to the last byte of its answer. In a snapshot it is from one
  ///     piece to the next.
  ///   - allowsInsecureHTTP: whether the token may cross a network in clear text.
  ///   - report: asked before each request for what the device says of itself; `nil` says nothing.
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

  /// With a token that stays the same.
  public convenience init(
    baseURL: URL, token: String, clock: any TimeSource = SystemTime(), deadline: Duration = .seconds(15),
    allowsInsecureHTTP: Bool = false
  ) throws(HubAddressError) {
    try self.init(
      baseURL: baseURL, token: { token }, clock: clock, deadline: deadline, allowsInsecureHTTP: allowsInsecureHTTP)
  }

  /// Asks for a token of this device's own, with the code that the hub showed to a person.
  ///
  /// The code works once and for a short time; white space around it is left out. A device that holds a person's record names
  /// them: a code of somebody else is then refused before it is used up, with a `problem` of type `other_person`.
  /// - Throws: ``HubAddressError`` for an address that is none, `APIError` for all else: a wrong code is a `problem`.
  public static func pair(
    baseURL: URL, code: String, deviceName: String, person: String? = nil, clock: any TimeSource = SystemTime(),
    deadline: Duration = .seconds(15), allowsInsecureHTTP: Bool = false
  ) async throws -> PairResponse {
    let hub = HubConnection(
      address: try HubAddress(baseURL, allowsInsecureHTTP: allowsInsecureHTTP), token: nil, clock: clock,
      deadline: deadline, bodyLimit: bodyLimit, transport: URLSessionTransport())
    let request = PairRequest(code: code.filter { !$0.isWhitespace }, deviceName: deviceName, person: person)
    return try await hub.document(
      PairResponse.self, HTTPRequest(method: .post, path: "/pair", body: try WireJSON.encode(request)))
  }

  /// Does nothing: a hub's health shows in the requests that matter, and one more before them says nothing of the next.
  public func checkHealth() async throws {}
}

extension APIClient: CustomStringConvertible {
  public var description: String { "APIClient(\(address.name))" }
}
