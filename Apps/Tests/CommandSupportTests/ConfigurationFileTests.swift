import CommandSupport
import Foundation
import Testing

@Suite("ConfigurationFile")
final class ConfigurationFileTests {
  private let folder: URL
  private var path: String { folder.appending(path: "config").path }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "trendy-config-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }  // if this fails, only a temporary folder remains

  private func file(_ text: String) throws -> ConfigurationFile {
    try Data(text.utf8).write(to: URL(filePath: path))
    return ConfigurationFile(path: path)
  }

  private var text: String {
    get throws { String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) }
  }

  @Test(
    "a line sets a value regardless of spaces, quotes and comments",
    arguments: [
      ("poll = 30s", "30s"), ("poll=30s", "30s"), ("\t poll  =  30s \t", "30s"), ("poll = 30s # often", "30s"),
      ("poll = \"30s\"", "30s"), ("poll = \"30s\" # often", "30s"), ("\u{FEFF}poll = 30s", "30s"),
      ("# poll = 1s\n\npoll = 30s\n", "30s"), ("poll = 30s\r\n", "30s"),
    ])
  func reads(text: String, value: String) throws {
    let file = try file(text)
    #expect(file.problems.isEmpty)
    #expect(file.entries["poll"]?.value == value)
  }

  @Test(
    "a value may contain hash signs, equals signs, quotes and Unicode",
    arguments: [
      ("gpsd = a#b", "a#b"), ("gpsd = \"a # b\"", "a # b"), (#"gpsd = "a \" \\ b""#, #"a " \ b"#),
      ("gpsd = a = b", "a = b"),
      ("gpsd = \u{65E5}\u{672C}", "\u{65E5}\u{672C}"),
    ])
  func holds(text: String, value: String) throws {
    var file = try file(text)
    #expect(file.entries["gpsd"]?.value == value)
    // A value that was written is read back unchanged.
    file.set("gpsd", to: "other")
    file.set("gpsd", to: value)
    #expect(file.problems.isEmpty && file.entries["gpsd"]?.value == value)
  }

  @Test(
    "an invalid line is reported with its line number and a suggestion",
    arguments: [
      ("\npol = 30s", 2, "Setting 'pol' not found", "Did you mean 'poll'?"),
      ("hours = 13", 1, "The value '13' is invalid for 'hours'", "Did you mean '12'? Use 12 or 24."),
      ("poll", 1, "'poll' is not in the form 'key = value'", "Use lines such as: list_limit = 20"),
      ("poll = 1m\n\npoll = 2m", 3, "'poll' is set twice, first on line 1", nil),
      (
        "store = here", 1, "The value 'here' is invalid for 'store'",
        "Use a path that starts with / or ~/."
      ),
      (
        "gpsd = \"a", 1, "missing closing quote for 'gpsd', or text after the quote",
        "Use lines such as: list_limit = 20"
      ),
      ("poll = 0s", 1, "The value '0s' is invalid for 'poll'", "Use a duration from 1 s to 24 h."),
      ("poll =", 1, "The value '' is invalid for 'poll'", "Use a duration from 1 s to 24 h."),
      (
        "day_starts_at = 24:00", 1, "The value '24:00' is invalid for 'day_starts_at'",
        "Use a time of day from 00:00 to 23:59."
      ),
      (
        "trips.stop = 10m", 1, "'trips.stop' is a synced setting and cannot be set for one machine",
        "Remove it from the configuration of this machine and run: trendy config set trips.stop 5m"
      ),
    ])
  func refuses(text: String, line: Int, message: String, hint: String?) throws {
    let file = try file(text)
    #expect(file.problems == [CommandError("\(path):\(line): \(message)", hint: hint, exit: .configuration)])
  }

  @Test func `text that is not UTF-8 is reported with its line number and left unchanged`() throws {
    let bytes = Data("poll = 30s\ngpsd = ".utf8) + [0xFF, 0xA]
    try bytes.write(to: URL(filePath: path))
    #expect(ConfigurationFile(path: path).problems.map(\.message) == ["\(path):2: the text is not UTF-8"])
    #expect(throws: CommandError.self) { try ConfigurationFile.update(self.path) { $0.set("poll", to: "40s") } }
    #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
  }

  @Test func `a missing file sets nothing, and a folder in its place is reported`() throws {
    let missing = ConfigurationFile(path: path)
    #expect(!missing.exists && missing.problems.isEmpty)
    #expect(
      ConfigurationFile(path: folder.path).problems.map(\.message) == [
        "Cannot read \(folder.path): it is not a file"
      ])
  }

  @Test func `setting a value preserves comments, order, spaces and line endings`() throws {
    _ = try file("# mine\r\n\r\n poll =  30s   # often\r\n# last\r\nhours = 12")
    try ConfigurationFile.update(path) { $0.set("poll", to: "40s") }
    #expect(try text == "# mine\r\n\r\n poll =  40s   # often\r\n# last\r\nhours = 12")
    try ConfigurationFile.update(path) { $0.set("role", to: "hub") }
    #expect(try text == "# mine\r\n\r\n poll =  40s   # often\r\n# last\r\nhours = 12\r\nrole = hub\r\n")
    try ConfigurationFile.update(path) { $0.set("poll", to: nil) }
    #expect(try text == "# mine\r\n\r\n# last\r\nhours = 12\r\nrole = hub\r\n")
  }

  @Test func `setting a value keeps an invalid line and replaces a duplicate key`() throws {
    _ = try file("nonsense\npoll = 1m\npoll = 2m\n")
    try ConfigurationFile.update(path) { $0.set("poll", to: "3m") }
    #expect(try text == "nonsense\npoll = 3m\n")
  }

  @Test func `updating the file preserves its permissions and a symbolic link to it`() throws {
    _ = try file("poll = 30s\n")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    let link = folder.appending(path: "link").path
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    try ConfigurationFile.update(link) { $0.set("poll", to: "40s") }
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
    #expect(try text == "poll = 40s\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["config", "link"])
  }

  @Test func `a new file is readable only by its owner, and missing folders are created`() throws {
    let path = folder.appending(path: "a/b/config").path
    try ConfigurationFile.update(path) { $0.set("poll", to: "40s") }
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
  }

  @Test func `the commented template sets nothing and is valid`() throws {
    try ConfigurationFile.update(path) { $0.explain() }
    let written = ConfigurationFile(path: path)
    #expect(written.exists && written.entries.isEmpty && written.problems.isEmpty)
    for key in ["poll", "list_limit", "units"] { #expect(try text.contains("# \(key) = ")) }
  }
}
