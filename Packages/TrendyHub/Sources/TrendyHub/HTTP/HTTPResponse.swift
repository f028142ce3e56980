public import Foundation

/// What a handler answers: a status, header fields, and a body that is whole or a stream.
public struct HTTPResponse: Sendable {
  public enum Body: Sendable {
    case data(Data)
    case stream(HTTPBodyStream)
  }

  /// 200 to 599.
  public var status: Int
  public var headers: HTTPHeaders
  public var body: Body

  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Body = .data(Data())) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A body made piece by piece, as fast as the other end takes it.
public struct HTTPBodyStream: Sendable {
  /// The next piece, `nil` after the last. It is asked for again only when the piece before has been taken. What it
  /// throws ends the connection in the middle of the body, so that the other end knows that something is missing.
  public var next: @Sendable () async throws -> Data?
  /// Whether it is over as soon as the other end closes its sending side: for a stream that waits for long between pieces,
  /// where only writing would show, much later, that nobody reads.
  public var endsWithReader: Bool

  public init(endsWithReader: Bool = false, next: @escaping @Sendable () async throws -> Data?) {
    self.endsWithReader = endsWithReader
    self.next = next
  }
}

extension HTTPResponse {
  /// The whole body; a stream is read to its end.
  public func collectedBody() async throws -> Data {
    switch body {
    case .data(let data): return data
    case .stream(let stream):
      var collected = Data()
      while let piece = try await stream.next() { collected.append(piece) }
      return collected
    }
  }
}
