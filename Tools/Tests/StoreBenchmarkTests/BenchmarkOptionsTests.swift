import StoreBenchmark
import Testing

@Suite("BenchmarkOptions", .timeLimit(.minutes(10)))
struct BenchmarkOptionsTests {
  @Test func `omitted options have default values`() throws {
    let options = try BenchmarkOptions(["--workload", "range"])
    #expect(options.workload == .range)
    #expect(options.count == 100_000)
    #expect(options.directory == "./bench-data")
    #expect(options.operations == nil)
    #expect(options.processes == 2)
  }

  @Test func `options are accepted in any order`() throws {
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
    "invalid options are rejected with an explanation",
    arguments: [
      ([], "--workload is missing"),
      (["--n", "5"], "--workload is missing"),
      (["--workload"], "--workload needs a value"),
      (["range"], "unexpected argument \"range\"; options start with --"),
      (["--size", "5"], "unknown option --size"),
      (["--workload", "get", "--n", "0"], "--n must be an integer from 1 to 100000000, not \"0\""),
      (["--workload", "get", "--n", "100000001"], "--n must be an integer from 1 to 100000000, not \"100000001\""),
      (["--workload", "get", "--n", "1e6"], "--n must be an integer from 1 to 100000000, not \"1e6\""),
      (["--workload", "get", "--ops", "-1"], "--ops must be an integer from 1 to 1000000000, not \"-1\""),
      (["--workload", "get", "--procs", "0"], "--procs must be an integer from 1 to 64, not \"0\""),
      (["--workload", "get", "--procs", "65"], "--procs must be an integer from 1 to 64, not \"65\""),
      (["--workload", "get", "--dir", ""], "--dir must not be empty"),
      (["--workload", "get", "--rows", "5"], "--rows must be FROM-TO, not \"5\""),
    ] as [([String], String)])
  func refuses(arguments: [String], text: String) {
    #expect(throws: BenchmarkError.usage(text)) { try BenchmarkOptions(arguments) }
  }

  @Test func `an unknown workload is rejected with the list of workloads`() {
    let text = "unknown workload \"scan\"; expected one of \(BenchmarkOptions.Workload.offered.joined(separator: ", "))"
    #expect(throws: BenchmarkError.usage(text)) { try BenchmarkOptions(["--workload", "scan"]) }
  }

  @Test func `workloads have the names that Tools/bench-store uses`() {
    #expect(
      BenchmarkOptions.Workload.offered == [
        "insert-durable", "insert-durable-mp", "insert-batch", "bulk", "get", "range", "range-rows", "type-range",
        "count-by-day", "open", "open-cold", "recover", "update", "delete", "gen", "verify",
      ])
  }
}
