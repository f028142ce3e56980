import Foundation
import Testing

@Suite("make demo", .waitsForPrograms, .timeLimit(.minutes(10)))
struct DemoTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  @Test func `the demo succeeds and leaves no files behind`() throws {
    let result = try bench.run(
      "trendy-demo", ["--drive", Samples.drive.path], environment: ["TMPDIR": bench.folder.path])
    #expect(result.status == 0, "\(result.output)\(result.talk)")
    #expect(result.output.contains("Nothing lost, no duplicates, nothing reappeared.\n"))
    #expect(result.output.hasSuffix("run 'make run' and open http://127.0.0.1:8787/\n"))
    let left = try bench.shell("ls -d '\(bench.folder.path)'/trendy-demo-* 2>/dev/null | wc -l").output
    #expect(left == "0\n")
  }

  @Test func `--stay prints the address and a pairing code of a hub that answers`() throws {
    // The script requests the page at the printed address and then ends the demo.
    let script = """
      mkfifo '\(bench.folder.path)/end'
      '\(Workbench.path("trendy-demo"))' --drive '\(Samples.drive.path)' --stay < '\(bench.folder.path)/end' | {
        exec 3> '\(bench.folder.path)/end'
        while read -r line; do
          case $line in
            Open*) page=${line##* } ;;
            "Pairing code:"*) code=${line##* } ;;
            'Press Return'*) break ;;
          esac
        done
        origin=${page%/timeline*}
        curl -s --max-time 30 "$page" | grep -c 'id="app"'
        curl -s --max-time 30 -d "{\\"code\\":\\"$code\\",\\"device_name\\":\\"browser\\"}" "$origin/api/v1/pair" | grep -c '"token"'
        echo >&3
      }
      """
    #expect(try bench.shell(script).output == "1\n1\n")
  }

  @Test func `a hub that changes one word of a response fails the demo`() throws {
    let result = try bench.run(
      "trendy-demo", ["--drive", Samples.drive.path, "--lying-hub"], environment: ["TMPDIR": bench.folder.path])
    #expect(result.status == 1, "\(result.output)\(result.talk)")
    #expect(result.output.contains("FAILED: timed out: the timelines of phone and laptop are the same"))
  }
}
