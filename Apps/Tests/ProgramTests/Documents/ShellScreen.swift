import Foundation
import Testing

/// An interactive shell that runs in tmux, which provides the terminal, simulates the keyboard and captures the screen.
final class ShellScreen {
  /// Environment with the programs in `PATH` and without the current user's configuration files.
  private let environment: [String: String]
  private let bench: Workbench
  private let socket: String
  /// tmux server, run in the foreground because a background server would keep the test runner's output pipe open.
  private let server: Running

  static let tmux = "/usr/bin/tmux"

  static func canRun(_ shell: String) -> Bool {
    [tmux, "/usr/bin/\(shell)"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }
  }

  /// Starts a shell. `startup` is the shell's startup file: the path relative to the home folder, and the content.
  init(_ bench: Workbench, _ shell: String, startup: (path: String, text: String)) throws {
    self.bench = bench
    socket = bench.folder.appending(path: "tmux").path
    environment = [
      "PATH": Workbench.programs.path + ":/usr/bin:/bin", "TRENDY_STORE": bench.store(), "SHELL": "/usr/bin/\(shell)",
      "TERM": "xterm-256color", "LANG": "C.UTF-8",
    ]
    let file = bench.folder.appending(path: startup.path)
    try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try startup.text.write(to: file, atomically: true, encoding: .utf8)
    server = try Running(bench, Self.tmux, ["-D", "-u", "-f", "/dev/null", "-S", socket], environment: environment)
    // Start in a folder with known files, because fish suggests file names.
    let words = [
      "new-session", "-d", "-c", bench.folder.path, "-x", "100", "-y", "40", "/usr/bin/\(shell)", "-i",
    ]
    let isStarted: Bool? = try eventually { try ask(words).status == 0 ? true : nil }
    try #require(isStarted == true, "\(server.text)")
    try wait(for: "ready>")
  }

  @discardableResult
  private func ask(_ words: [String]) throws -> Workbench.Result {
    try bench.run(Self.tmux, ["-N", "-u", "-S", socket] + words, environment: environment)
  }

  /// Types text on an empty line, presses Tab, and waits until the screen shows the expected text.
  func type(_ text: String, tabs: Int = 1, shows expected: String) throws {
    try ask(["send-keys", "C-e", "C-u", "C-l"])
    try ask(["send-keys", "-l", text])
    try wait(for: text)
    for _ in 0..<tabs { try ask(["send-keys", "Tab"]) }
    try wait(for: expected)
  }

  private func wait(for expected: String) throws {
    var screen = ""
    let found = try eventually {
      screen = try ask(["capture-pane", "-p"]).output
      return screen.contains(expected) ? true : nil
    }
    if found == nil { throw BenchError("The screen never showed '\(expected)':\n\(screen)") }
  }
}
