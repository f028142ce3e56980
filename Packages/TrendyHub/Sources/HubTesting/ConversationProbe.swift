public import TrendyHub

/// What the hub's connections make of bytes; for fuzzers, which stand outside of the package.
public struct ConversationProbe: Sendable {
  /// What was handed to the handler, in order.
  public var requests: [HTTPRequest]
  /// Of the answers; 100 is none.
  public var statuses: [Int]
  public var isClosed: Bool
  /// Whether it wanted something done after it was closed.
  public var wentOn: Bool

  /// A connection that gets the pieces one by one, and then nothing more. Its handler answers at once.
  /// - Parameters:
  ///   - pieces: in the order in which they arrive.
  ///   - hasGate: whether something looks at heads before bodies.
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
