/// Help topic other than a command, such as time formats.
public struct HelpTopic: Hashable, Sendable {
  public let name: String
  /// Lines of at most 80 columns.
  public let lines: [String]

  public init(_ name: String, _ lines: [String]) {
    self.name = name
    self.lines = lines
  }
}
