import StoreBenchmark
import Testing

@Suite("BenchmarkOptions", .timeLimit(.minutes(10)))
struct BenchmarkOptionsTests {
  @Test func `what is not said has its usual value`() throws {
    let options = try BenchmarkOptions(["--workload", "range"])
    #expect(options.workload == .range)
    #expect(options.count == 100_000)
    #expect(options.directory == "./bench-data")
    #expect(options.operations == nil)
    #expect(options.processes == 2)
  }

  @Test func `every option is taken, in any order`() throws {
    let options = try BenchmarkOptions([
      "--procs", "64", "--dir", "/tmp/x/", "--ops", "1", "--n", "100000000", "--workload", "insert-durable-mp",
    ])
    #expect(options.workload == .insertDurableInProcesses)
    #expect(options.count == 100_000_000)
    #expect(options.directory == "/tmp/x")
    #expect(options.operations == 1)
    #expect(options.processes == 64)
  }

  @Test(
    "what cannot be done is refused, and the text says why",
    arguments: [
      ([], "--workload is missing"),
      (["--n", "5"], "--workload is missing"),
      (["--workload"], "--workload needs a value"),
      (["range"], "\"range\" is no option: they begin with --"),
      (["--size", "5"], "there is no option --size"),
      (["--workload", "get", "--n", "0"], "--n takes a whole number from 1 to 100000000, not \"0\""),
      (["--workload", "get", "--n", "100000001"], "--n takes a whole number from 1 to 100000000, not \"100000001\""),
      (["--workload", "get", "--n", "1e6"], "--n takes a whole number from 1 to 100000000, not \"1e6\""),
      (["--workload", "get", "--ops", "-1"], "--ops takes a whole number from 1 to 1000000000, not \"-1\""),
      (["--workload", "get", "--procs", "0"], "--procs takes a whole number from 1 to 64, not \"0\""),
      (["--workload", "get", "--procs", "65"], "--procs takes a whole number from 1 to 64, not \"65\""),
      (["--workload", "get", "--dir", ""], "--dir takes a folder, not an empty text"),
      (["--workload", "get", "--rows", "5"], "--rows takes FROM-TO, not \"5\""),
    ] as [([String], String)])
  func refuses(arguments: [String], text: String) {
    #expect(throws: BenchmarkError.usage(text)) { try BenchmarkOptions(arguments) }
  }

  @Test func `an unknown workload is answered with those there are`() {
    let text = "there is no workload \"scan\"; there are \(BenchmarkOptions.Workload.offered.joined(separator: ", "))"
    #expect(throws: BenchmarkError.usage(text)) { try BenchmarkOptions(["--workload", "scan"]) }
  }

  @Test func `workloads have the names that Tools/bench-store calls them by`() {
    #expect(
      BenchmarkOptions.Workload.offered == [
        "insert-durable", "insert-durable-mp", "insert-batch", "bulk", "get", "range", "range-rows", "type-range",
        "count-by-day", "open", "open-cold", "recover", "update", "delete", "gen", "verify",
      ])
  }
}
