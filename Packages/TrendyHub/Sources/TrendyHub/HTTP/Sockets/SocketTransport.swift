import Synchronization
import TrendyModels
public import TrendyProtocols

/// Serves HTTP/1.1 on a TCP socket, strictly, within limits, and with connections that are kept.
///
/// One thread reads, writes and keeps the deadlines; a handler runs in a task of its own. Bodies come with a
/// `Content-Length`: there is one way to tell where a request ends, and it is read once.
public final class SocketTransport: HTTPTransport {
  private enum Life {
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
  private let life = Mutex(Life.new)

  /// Listens, once started, at `address`, a name or a number, `127.0.0.1` for this machine alone; port 0 is any free one. An address
  /// `unix:/path` is a Unix socket for the owner and the group of that file, which is made, and removed at the end.
  /// The log is told of what is refused before it reaches the handler; the handler tells of the rest.
  /// A `listener` is a TCP socket that listens already, such as one from a service manager; it is used in place of `address` and
  /// `port`, and closed by ``stop()``.
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
    try life.withLock { life throws(HTTPTransportError) in
      guard case .new = life else { throw .alreadyStarted }
      let (listener, boundPort) =
        if let listener { try Sockets.adopt(listener) } else { try Sockets.listen(address: address, port: port) }
      do throws(HTTPTransportError) {
        let server = try SocketServer(
          listener: listener, gate: gate, handler: handler, clock: clock, limits: limits, identifiers: identifiers,
          log: log)
        server.start()
        life = .serving(server)
        return boundPort
      } catch {
        Sockets.close(listener)
        throw error
      }
    }
  }

  public func turn() async {
    guard case .serving(let server) = life.withLock({ $0 }) else { return }
    await server.turn()
  }

  public func stop() async {
    guard case .serving(let server) = life.withLock({ $0 }) else { return }
    if listener == nil { Sockets.forget(address: address) }
    await server.stop()
  }
}
