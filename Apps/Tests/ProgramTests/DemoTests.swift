import Foundation
import Testing

@Suite("make demo", .timeLimit(.minutes(10)))
struct DemoTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test func `the demonstration shows what it promises and leaves nothing behind`() throws {
    let result = try bench.run(
      "trendy-demo", ["--drive", Samples.drive.path], environment: ["TMPDIR": bench.folder.path])
    #expect(result.status == 0, "\(result.output)\(result.talk)")
    #expect(result.output.hasSuffix("Nothing lost, nothing doubled, nothing came back.\n"))
    let left = try bench.shell("ls -d '\(bench.folder.path)'/trendy-demo-* 2>/dev/null | wc -l").output
    #expect(left == "0\n")
  }

  @Test func `a hub that changes one word of an answer makes it fail`() throws {
    let result = try bench.run(
      "trendy-demo", ["--drive", Samples.drive.path, "--lying-hub"], environment: ["TMPDIR": bench.folder.path])
    #expect(result.status == 1, "\(result.output)\(result.talk)")
    #expect(result.output.contains("FAILED: it is not so that the timelines of phone and laptop are the same"))
  }
}
