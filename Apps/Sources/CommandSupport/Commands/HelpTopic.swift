/// Help topic that is not a command, such as time formats.
public struct HelpTopic: Hashable, Sendable {
  public let name: String
  /// At most 80 columns wide.
  public let lines: [String]

  public init(_ name: String, _ lines: [String]) {
    self.name = name
    self.lines = lines
  }
}
