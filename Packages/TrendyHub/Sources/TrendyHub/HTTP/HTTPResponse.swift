public import Foundation

/// Response of a handler: status, headers, and a complete or streamed body.
public struct HTTPResponse: Sendable {
  /// Body of a response.
  public enum Body: Sendable {
    case data(Data)
    case stream(HTTPBodyStream)
  }

  /// Status code, 200 to 599.
  public var status: Int
  public var headers: HTTPHeaders
  public var body: Body

  public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: Body = .data(Data())) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// A body that is produced in chunks, as fast as the client receives it.
public struct HTTPBodyStream: Sendable {
  /// Returns the next chunk, or `nil` at the end. It is called again after the previous chunk was sent.
  ///
  /// An error ends the connection within the body, so that the client detects the missing part.
  public var next: @Sendable () async throws -> Data?
  /// Whether the stream ends when the client closes its sending side.
  ///
  /// Set for streams with long pauses, during which a lost reader would otherwise be detected only by a later write.
  public var endsWithReader: Bool

  public init(endsWithReader: Bool = false, next: @escaping @Sendable () async throws -> Data?) {
    self.endsWithReader = endsWithReader
    self.next = next
  }
}

extension HTTPResponse {
  /// Returns the complete body; reads a stream to its end.
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
