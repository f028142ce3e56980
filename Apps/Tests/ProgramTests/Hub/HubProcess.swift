import Foundation
import PostgresTesting
import Testing
import TrendyModels

struct HubProcess {
  let process: Running
  /// JSON document that the hub prints when it starts, `trendyd.run/1`.
  let document: [String: JSONValue]

  /// Starts a hub and waits until it is listening.
  /// - Parameter words: arguments after `trendyd run --role hub`.
  init(_ bench: Workbench, _ words: [String]) throws {
    let running = try Running(bench, "trendyd", ["run", "--role", "hub"] + words + ["--json"])
    process = running
    document = try #require(
      try eventually {
        guard running.process.isRunning else { throw BenchError(running.text) }
        guard let line = running.text.split(separator: "\n").first(where: { $0.contains("trendyd.run/1") }) else {
          return nil
        }
        return try WireJSON.decode(JSONValue.self, from: Data(line.utf8)).objectValue
      })
  }

  var url: String { document["url"]?.stringValue ?? "" }
  var port: Int { url.split(separator: ":").last.flatMap { Int($0) } ?? 0 }
}

/// An empty database, with helpers for hubs that use it.
struct DatabaseBench {
  let bench: Workbench
  let cluster: PostgresCluster
  let storage: String

  init() throws {
    bench = try Workbench()
    cluster = try PostgresCluster.shared.get()
    // Each test needs a separate database, because all hubs use the same schema name.
    storage = try cluster.newDatabase()
  }

  /// Creates a hub in the database or in a folder, and returns the folder with its settings.
  func initialise(inDatabase: Bool = true) throws -> String {
    let data = bench.store("hub")
    let place = inDatabase ? ["--storage", storage] : []
    let made = try bench.run("trendyd", ["hub", "init", "--data", data, "--listen", "127.0.0.1:0"] + place)
    try #require(made.status == 0, "\(made.talk)")
    return data
  }

  /// Starts a hub process with a separate folder. The process receives the database address only from an option.
  func run(port: Int = 0, name: String) throws -> HubProcess {
    try HubProcess(
      bench,
      [
        "--data", bench.store(name), "--storage", storage, "--listen", "127.0.0.1:\(port)",
        "--limit", "requestsPerMinute=none",
      ])
  }

  func token(_ name: String, _ data: String) throws -> String {
    let made = try bench.trendyd("token", "create", name, "--data", data, "--json")
    return try #require(made.document.objectValue?["token"]?.stringValue, "\(made.talk)")
  }

  func curl(_ words: String, token: String) throws -> (output: String, status: Int32) {
    let result = try bench.shell("curl -s --fail-with-body -H 'Authorization: Bearer \(token)' \(words)")
    return (result.output, result.status)
  }
}

extension Trait where Self == ConditionTrait {
  static var onPostgres: Self {
    .enabled(if: PostgresCluster.missing == nil, Comment(rawValue: PostgresCluster.missing ?? ""))
  }
}
