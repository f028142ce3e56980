import Synchronization
public import TrendyProtocols

/// Serves HTTP/1.1 with GNU libmicrohttpd, behind a gate that keeps the limits and refuses what is not strict.
///
/// One connection carries one request (`Connection: close`): there is nothing behind a request that could be smuggled in
/// with it, and every head goes through the gate. Bodies come with a `Content-Length`.
public final class MicrohttpdTransport: HTTPTransport {
  private enum Life {
    case new
    case serving(ConnectionGate)
  }

  private let address: String
  private let port: UInt16
  private let limits: HTTPLimits
  private let clock: any TimeSource
  private let identifiers: RequestIdentifiers
  private let log: AccessLog?
  private let life = Mutex(Life.new)

  /// Listens, once started, at `address`, a name or a number, `127.0.0.1` for this machine alone; port 0 is any free one.
  /// The log is told of what is refused before it reaches the handler; the handler tells of the rest.
  public init(
    address: String = "127.0.0.1", port: UInt16 = 0, limits: HTTPLimits = HTTPLimits(),
    clock: any TimeSource = SystemTime(),
    generator: some RandomNumberGenerator & Sendable = SystemRandomNumberGenerator(), log: AccessLog? = nil
  ) {
    self.address = address
    self.port = port
    self.limits = limits
    self.clock = clock
    identifiers = RequestIdentifiers(generator: generator)
    self.log = log
  }

  public func start(handler: @escaping HTTPHandler) async throws(HTTPTransportError) -> UInt16 {
    try life.withLock { life throws(HTTPTransportError) in
      guard case .new = life else { throw .alreadyStarted }
      let (listener, boundPort) = try Sockets.listen(address: address, port: port)
      do throws(HTTPTransportError) {
        let server = try MicrohttpdServer(handler: handler, limits: limits)
        let gate: ConnectionGate
        do throws(HTTPTransportError) {
          gate = try ConnectionGate(
            listener: listener, server: server, clock: clock, limits: limits, identifiers: identifiers, log: log)
        } catch {
          server.stop()
          throw error
        }
        gate.start()
        life = .serving(gate)
        return boundPort
      } catch {
        Sockets.close(listener)
        throw error
      }
    }
  }

  public func stop() async {
    guard case .serving(let gate) = life.withLock({ $0 }) else { return }
    await gate.stop()
  }
}
