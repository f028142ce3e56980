/// Help on what is no command, such as how to say when.
public struct HelpTopic: Hashable, Sendable {
  public let name: String
  /// No longer than 80 columns.
  public let lines: [String]

  public init(_ name: String, _ lines: [String]) {
    self.name = name
    self.lines = lines
  }
}
