import Foundation

/// A connection without a socket, whose handler responds immediately. For fuzz tests.
package struct HTTPConversation {
  package private(set) var requests: [HTTPRequest] = []
  /// Status codes of the final responses.
  package private(set) var statuses: [Int] = []
  package private(set) var isClosed = false
  /// Number of effects since the connection was closed. Must be 0.
  package private(set) var effectsAfterClose = 0

  private var connection = HTTPConnection(address: "127.0.0.1", requestId: "1")
  private var unread: ArraySlice<UInt8> = []
  private var isFinished = false
  private var piecesOfAnswer = 0
  private let surroundings: HTTPConnection.Surroundings

  package init(hasGate: Bool, limits: HTTPLimits = HTTPLimits()) {
    surroundings = HTTPConnection.Surroundings(limits: limits, hasGate: hasGate, date: "D") { "2" }
  }

  package mutating func receive(_ bytes: ArraySlice<UInt8>) {
    unread += bytes
    readOn()
  }

  package mutating func finish() {
    isFinished = true
    carryOut(connection.on(.finished, in: surroundings))
    readOn()
  }

  private mutating func readOn() {
    while !unread.isEmpty, connection.isReading, !isClosed {
      let bytes = unread
      unread = []
      carryOut(connection.on(.received(bytes), in: surroundings))
    }
  }

  private mutating func carryOut(_ effects: [HTTPConnection.Effect]) {
    var effects = effects[...]
    while let effect = effects.popFirst() {
      if isClosed { effectsAfterClose += 1 }
      guard let event = carryOut(effect) else { continue }
      effects += connection.on(event, in: surroundings)
    }
  }

  private mutating func carryOut(_ effect: HTTPConnection.Effect) -> HTTPConnection.Event? {
    switch effect {
    case .send(let bytes):
      if bytes.starts(with: "HTTP/1.1 ".utf8) {
        let status = Int(String(decoding: bytes.dropFirst(9).prefix(3), as: UTF8.self)) ?? 0
        if status != 100 { statuses.append(status) }
      }
      return .sent
    case .admit: return .admitted(.admitted(bodyBytes: surroundings.limits.bodyBytes))
    case .handle(let request):
      requests.append(request)
      guard request.target.utf8.count.isMultiple(of: 3) else { return .answered(HTTPResponse(status: 204)) }
      piecesOfAnswer = 2
      return .answered(HTTPResponse(status: 200, body: .stream(HTTPBodyStream { nil })))
    case .makePiece:
      piecesOfAnswer -= 1
      return piecesOfAnswer > 0 ? .made(Data("piece".utf8)) : .ended(isWhole: true)
    case .close:
      isClosed = true
      return nil
    // After the client has closed its side, every read reports the end again.
    case .linger: return isFinished ? .finished : nil
    case .cancel, .arm, .log: return nil
    }
  }
}
