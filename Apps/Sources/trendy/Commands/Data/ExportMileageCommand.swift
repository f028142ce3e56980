import AppContainer
import CommandSupport
import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyTrips

struct ExportMileageCommand: Command {
  static let spec = CommandSpec(
    "export mileage", .optional("file|-", .file),
    summary: "Export a mileage log as CSV, one trip per row.", group: .data,
    examples: ["export mileage", "export mileage mileage.csv"],
    options: TripSelection.options + [
      OptionSpec("--format", value: "format", kind: .oneOf(["csv"]), help: "format of the log: csv"),
      OptionSpec("--all", help: "all trips instead of one month"),
      OptionSpec("--by-vehicle", help: "write one file per vehicle to the folder <file>"),
      OptionSpec("--to", value: "folder", kind: .folder, help: "with --every: folder for the files"),
      OptionSpec("--yes", "-y", help: "overwrite existing files"),
    ] + ExportOrder.options)

  enum Answer {
    /// Content of the log, for standard output.
    case text(String)
    case files([File])
    case ordered(ExportOrder.Outcome)

    struct File {
      var path: String
      var trips: Int
    }
  }

  private enum Target {
    case output
    case file(String)
    /// Folder for one file per vehicle.
    case folder(String)
    /// Schedule for exports by the agent.
    case agent(ExportOrder)
  }

  private let target: Target
  private let selection: TripSelection
  private let isReplacing: Bool

  init(_ session: Session) throws {
    let format = session.arguments.value("--format") ?? "csv"
    guard format == "csv" else { throw session.usageError("Unknown mileage log format '\(format)'", hint: "Use csv.") }
    let isByVehicle = session.arguments.has("--by-vehicle")
    if let order = try ExportOrder(session, format: "mileage", to: "--to") {
      target = .agent(order)
    } else if session.arguments.has("--to") {
      throw session.usageError("--to requires --every")
    } else if let path = session.arguments.positionals.first, isByVehicle || path != "-" {
      target = isByVehicle ? .folder(path) : .file(path)
    } else if isByVehicle {
      throw session.usageError("Missing folder for --by-vehicle")
    } else {
      target = .output
    }
    isReplacing = session.arguments.has("--yes")
    selection = TripSelection(session, range: session.arguments.has("--all") ? nil : try session.month().range)
  }

  func act(_ session: Session) throws -> Answer {
    if case .agent(let order) = target { return .ordered(try order.carryOut(session)) }
    let store = try session.openStore().makeStore()
    let trips = try selection.countedTrips(in: store)
    let log = try MileageLog(store: store)
    switch target {
    case .output, .agent: return .text(log.csv(of: trips, in: session.local))
    case .file(let path):
      try write(log.csv(of: trips, in: session.local), to: URL(filePath: path))
      return .files([Answer.File(path: path, trips: trips.count)])
    case .folder(let path): return .files(try write(trips, of: log, toFilesIn: path, session))
    }
  }

  private func write(
    _ trips: [TripEvent], of log: MileageLog, toFilesIn path: String, _ session: Session
  ) throws -> [Answer.File] {
    let folder = URL(filePath: path)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    var files: [Answer.File] = []
    var taken: Set<String> = []
    var outputs: [FileOutput] = []
    for (_, trips) in Dictionary(grouping: trips, by: { $0.vehicleId ?? "" }).sorted(by: { $0.key < $1.key }) {
      let base = fileName(log.vehicleName(of: trips[0]))
      var name = base
      var number = 2
      while !taken.insert(name.lowercased()).inserted {
        name = "\(base)-\(number)"
        number += 1
      }
      let output = try FileOutput(path: folder.appending(path: "\(name).csv").path, isReplacing: isReplacing)
      try output.write(log.csv(of: trips, in: session.local))
      outputs.append(output)
      files.append(Answer.File(path: "\(path)/\(name).csv", trips: trips.count))
    }
    // So far, every file has a temporary name. If any of the final files exists, none is created.
    for output in outputs { try output.finish() }
    return files
  }

  private func write(_ text: String, to file: URL) throws(CommandError) {
    let output = try FileOutput(path: file.path, isReplacing: isReplacing)
    try output.write(text)
    try output.finish()
  }

  /// Returns a file name for a vehicle. Characters other than letters and digits are replaced, so the name cannot
  /// contain a path.
  private func fileName(_ name: String) -> String {
    let safe = String(name.map { $0.isLetter || $0.isNumber || $0 == "-" || $0 == " " ? $0 : "_" })
    return safe.allSatisfy { $0 == "_" || $0 == " " } ? "no vehicle" : String(safe.prefix(60))
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch answer {
    case .text(let text): session.console.raw(text)
    case .files(let files):
      for file in files { session.console.done("Exported \(Quantity(file.trips, "trip")) to \(file.path).") }
    case .ordered(let outcome): return ExportOrder.show(outcome, session)
    }
    return .done
  }
}

extension MileageLog {
  /// Returns the log as CSV, with one row per trip and times in the given time zone.
  fileprivate func csv(of trips: [TripEvent], in local: LocalTime) -> String {
    MileageCSVWriter { local.components(of: $0).secondsFromGMT }.string(trips.lazy.map(row))
  }
}
