public import TrendyHub

/// Feeds bytes to a hub's HTTP connection and records its behaviour, for fuzz tests outside the package.
public struct ConversationProbe: Sendable {
  /// Requests passed to the handler, in order.
  public var requests: [HTTPRequest]
  /// Status codes of the final responses, excluding 100.
  public var statuses: [Int]
  /// Whether the connection closed.
  public var isClosed: Bool
  /// Whether the connection produced effects after it was closed, which it must not.
  public var wentOn: Bool

  /// Passes `pieces` to a connection whose handler responds immediately, then closes the client's sending side.
  ///
  /// `hasGate` states whether a gate checks request heads before bodies are read.
  public init(of pieces: [ArraySlice<UInt8>], hasGate: Bool) {
    var conversation = HTTPConversation(hasGate: hasGate)
    for piece in pieces { conversation.receive(piece) }
    conversation.finish()
    requests = conversation.requests
    statuses = conversation.statuses
    isClosed = conversation.isClosed
    wentOn = conversation.effectsAfterClose > 0
  }
}
