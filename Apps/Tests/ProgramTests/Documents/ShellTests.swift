import Foundation
import Testing
import TrendyModels

/// Tests completion in real shells: installation, and candidates after pressing Tab.
@Suite("Shells", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ShellTests {
  private let bench: Workbench

  init() throws {
    bench = try Workbench()
    for words in [
      ["init"], ["type", "add", "Bath time"],
      ["type", "prop", "add", "Bath time", "water", "--kind", "select", "--options", "a:b,very hot"],
      ["place", "add", "Grandma's house", "52.3,4.8"], ["vehicle", "add", "Octavia"],
      ["trip", "add", "12km", "--from", "yesterday 9:00", "--for", "30m"],
    ] {
      let result = try bench.run("trendy", words + ["--store", bench.store()])
      try #require(result.status == 0, "\(result.talk)")
    }
    try Data().write(to: bench.folder.appending(path: "drive.gpx"))
  }

  /// Installs the completions for a shell and returns their folder.
  private func install(_ shell: String) throws -> String {
    let result = try bench.run(
      "trendy", ["completions", "install", "--json"], environment: ["SHELL": "/usr/bin/\(shell)"])
    let files = try #require(result.document.objectValue?["files"]?.arrayValue, "\(result.talk)").compactMap(
      \.stringValue)
    #expect(files.count == 2 && files.allSatisfy { FileManager.default.fileExists(atPath: $0) })
    return URL(filePath: try #require(files.first)).deletingLastPathComponent().path
  }

  /// Checks completions that all shells show in the same way.
  private func lookAround(_ screen: ShellScreen) throws {
    try screen.type("trendy und", shows: "trendy undo")
    try screen.type("trendyd hub ini", shows: "trendyd hub init")
    try screen.type("trendy log Bath", shows: "trendy log Bath\\ time")
    try screen.type("trendy log \"Bath", shows: "trendy log \"Bath time\"")
    try screen.type("trendy log Bath\\ time wat", shows: "trendy log Bath\\ time water=")
    try screen.type("trendy log Bath\\ time water=a", shows: "water=a:b")
    try screen.type("trendy log Bath\\ time water=v", shows: "water=very\\ hot")
    try screen.type("trendy place show Gran", shows: "trendy place show Grandma\\'s\\ house")
    try screen.type("trendy vehicle edit Oc", shows: "trendy vehicle edit Octavia")
    try screen.type("trendy --plain list --type=Ba", shows: "--type=Bath\\ time")
    let id = try bench.trendy("trip", "list", "--plain").output.prefix(13)
    try screen.type("trendy trip show \(id.prefix(3))", shows: "trendy trip show \(id)")
    try screen.type("trendy import \(bench.folder.path)/dri", shows: "/drive.gpx")
    try screen.type("trendy backup ~/dri", shows: "~/drive.gpx")
  }

  @Test(.enabled(if: ShellScreen.canRun("bash"), "bash or tmux is not installed"))
  func `bash completes commands and values`() throws {
    let folder = try install("bash")
    let startup = "PS1='ready> '\nsource \(folder)/trendy\nsource \(folder)/trendyd\n"
    try lookAround(ShellScreen(bench, "bash", startup: (".bashrc", startup)))
  }

  @Test(.enabled(if: ShellScreen.canRun("zsh"), "zsh or tmux is not installed"))
  func `zsh completes commands and values`() throws {
    let folder = try install("zsh")
    let startup = "PS1='ready> '\nfpath=(\(folder) $fpath); autoload -Uz compinit && compinit -u\n"
    try lookAround(ShellScreen(bench, "zsh", startup: (".zshrc", startup)))
  }

  @Test(.enabled(if: ShellScreen.canRun("fish"), "fish or tmux is not installed"))
  func `fish completes commands and values`() throws {
    _ = try install("fish")
    let startup = "function fish_prompt; echo 'ready> '; end\nset -g fish_greeting\n"
    try lookAround(ShellScreen(bench, "fish", startup: (".config/fish/config.fish", startup)))
  }

  @Test func `completions are installed where the given shell looks for them, repeatedly`() throws {
    let folder = try install("fish")
    #expect(folder == bench.folder.appending(path: ".config/fish/completions").path)
    #expect(try install("fish") == folder)
    let elsewhere = bench.folder.appending(path: "data").path
    let zsh = try bench.run(
      "trendy", ["completions", "install", "zsh"], environment: ["XDG_DATA_HOME": elsewhere, "SHELL": "/bin/bash"])
    #expect(zsh.output.contains("Installed \(elsewhere)/zsh/site-functions/_trendy\n"))
    #expect(zsh.output.contains("fpath=(\(elsewhere)/zsh/site-functions $fpath)"))
    let unknown = try bench.run("trendy", ["completions", "install"], environment: ["SHELL": "/bin/dash"])
    #expect(unknown.status == 64 && unknown.talk.contains("dash") && unknown.talk.contains("install bash|fish|zsh"))
    let refused = try bench.run(
      "trendy", ["completions", "install", "zsh"], environment: ["XDG_DATA_HOME": "/proc/none"])
    #expect(refused.status == 73 && refused.talk.contains("completions print zsh"))
  }

  @Test func `completion uses the store that is named on the line`() throws {
    let line = "trendy --store \(bench.store()) log Bath"
    #expect(try bench.run("trendy", ["words", "--line", line]).output.hasPrefix("Bath time"))
    #expect(
      try bench.trendy("words", "--line", "trendy log \"Bath time\" water=a:b ").output.contains("water") == false)
    #expect(try bench.run("trendy", ["words", "--line", "trendy log "]).output.isEmpty, "no store, and no error")
  }
}
