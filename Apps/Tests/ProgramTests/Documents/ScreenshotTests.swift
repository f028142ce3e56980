import Foundation
import Testing

/// Tests the scripts that `make screenshots` runs, with one page of each kind and a year of sample data.
@Suite("Screenshots", .waitsForPrograms, .timeLimit(.minutes(10)))
struct ScreenshotTests {
  private static let tools = Samples.repository.appending(path: "Tools")
  private static let hasBrowser = FileManager.default.isExecutableFile(atPath: "/usr/bin/chromedriver")
  private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  let bench: Workbench

  init() throws { bench = try Workbench() }

  private func python(_ script: String, _ words: String...) throws -> Workbench.Result {
    // The scripts need the `PATH` of the tests to find the toolchain's compiler.
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    return try bench.run(
      "/usr/bin/python3", [Self.tools.appending(path: script).path, Workbench.programs.path] + words,
      environment: ["PATH": path, "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": bench.folder.path])
  }

  @Test(.enabled(if: hasBrowser && hasPython, "needs chromium-driver and python3"))
  func `a screenshot has the size of a phone screen`() throws {
    let folder = bench.folder.appending(path: "pages")
    let result = try python("Pictures/pages.py", folder.path, "--only", "trips-390-dark", "--years", "1")
    try #require(result.status == 0, "\(result.talk)")
    let picture = try Data(contentsOf: folder.appending(path: "trips-390-dark.png"))
    #expect(picture.count > 10_000)
    // Bytes 16 to 23 of a PNG file are its width and height.
    #expect(picture[16..<24].elementsEqual([0, 0, 1, 134, 0, 0, 3, 76]))
  }

  @Test(.enabled(if: hasPython, "needs python3")) func `the terminal picture contains the output of the commands`()
    throws
  {
    let folder = bench.folder.appending(path: "terminal")
    let result = try python("Pictures/terminal.py", folder.path)
    try #require(result.status == 0, "\(result.talk)")
    for theme in ["light", "dark"] {
      let picture = try String(contentsOf: folder.appending(path: "terminal-\(theme).svg"), encoding: .utf8)
      #expect(picture.contains(">trendy stats coffee</text>") && picture.contains("\"oat milk\""))
    }
  }
}
