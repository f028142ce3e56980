import Synchronization
import TrendyModels
public import TrendyProtocols

/// HTTP/1.1 server on a TCP or Unix socket, with strict parsing, limits and persistent connections.
///
/// One thread reads, writes and handles deadlines, while each handler runs in its own task. Request bodies require a
/// `Content-Length`, so there is only one way to find the end of a request.
public final class SocketTransport: HTTPTransport {
  private enum State {
    case new
    case serving(SocketServer)
  }

  private let address: String
  private let port: UInt16
  private let listener: Int32?
  private let limits: HTTPLimits
  private let clock: any TimeSource
  private let identifiers: RandomSource
  private let log: AccessLog?
  private let state = Mutex(State.new)

  /// Creates a transport, which listens once ``start(gate:handler:)`` is called.
  ///
  /// - Parameters:
  ///   - address: Host name or IP address. The default is reachable only from this machine. An address `unix:/path`
  ///     creates a Unix socket that is accessible to the owner and group of its file, which ``stop()`` removes.
  ///   - port: Port to bind, or 0 to let the system choose one.
  ///   - listener: TCP socket that is already listening, for example from a service manager. It replaces address and
  ///     port, and ``stop()`` closes it.
  ///   - limits: Limits of the server.
  ///   - clock: Clock for deadlines and dates.
  ///   - generator: Source of request ids.
  ///   - log: Receives requests that are refused before they reach the handler.
  public init(
    address: String = "127.0.0.1", port: UInt16 = 0, listener: Int32? = nil, limits: HTTPLimits = HTTPLimits(),
    clock: any TimeSource = SystemTime(),
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(), log: AccessLog? = nil
  ) {
    self.address = address
    self.port = port
    self.listener = listener
    self.limits = limits
    self.clock = clock
    identifiers = RandomSource(generator)
    self.log = log
  }

  public func start(handler: @escaping HTTPHandler) async throws(HTTPTransportError) -> UInt16 {
    try start(gate: nil, handler)
  }

  public func start(
    gate: @escaping HTTPGate, handler: @escaping HTTPHandler
  ) async throws(HTTPTransportError) -> UInt16 { try start(gate: gate, handler) }

  private func start(gate: HTTPGate?, _ handler: @escaping HTTPHandler) throws(HTTPTransportError) -> UInt16 {
    try state.withLock { state throws(HTTPTransportError) in
      guard case .new = state else { throw .alreadyStarted }
      let (listener, boundPort) =
        if let listener { try Sockets.adopt(listener) } else { try Sockets.listen(address: address, port: port) }
      do throws(HTTPTransportError) {
        let server = try SocketServer(
          listener: listener, gate: gate, handler: handler, clock: clock, limits: limits, identifiers: identifiers,
          log: log)
        server.start()
        state = .serving(server)
        return boundPort
      } catch {
        Sockets.close(listener)
        throw error
      }
    }
  }

  public func turn() async {
    guard case .serving(let server) = state.withLock({ $0 }) else { return }
    await server.turn()
  }

  public func stop() async {
    guard case .serving(let server) = state.withLock({ $0 }) else { return }
    if listener == nil { Sockets.forget(address: address) }
    await server.stop()
  }
}
