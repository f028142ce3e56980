import CommandSupport
import TrendyFoundation
import TrendyInterchange
import TrendyModels

/// Source of positions, as given on the command line.
enum FixSource {
  /// Track file or lines of JSON, or `-` for standard input.
  case file(String)
  case single(Location)

  static let options = [
    OptionSpec("--at", value: "time", kind: .time, help: "single position: time (default: now)"),
    OptionSpec("--lat", value: "degrees", kind: .number, help: "single position: latitude"),
    OptionSpec("--lon", value: "degrees", kind: .number, help: "single position: longitude"),
    OptionSpec("--accuracy", value: "metres", kind: .number, help: "single position: accuracy"),
    OptionSpec("--speed", value: "m/s", kind: .number, help: "single position: speed"),
  ]

  init(_ session: Session) throws(CommandError) {
    let path = session.arguments.positionals.first
    guard session.arguments.has("--lat") || session.arguments.has("--lon") else {
      guard let path else { throw session.usageError("Missing file (- for standard input)") }
      self = .file(path)
      return
    }
    if let path {
      throw session.usageError("Unexpected argument '\(path)'", hint: "Specify either a file or a single position.")
    }
    guard let latitude = try session.number(option: "--lat", in: -90...90),
      let longitude = try session.number(option: "--lon", in: -180...180)
    else { throw session.usageError("A position needs both --lat and --lon") }
    self = .single(
      Location(
        coordinate: Coordinate(latitude: latitude, longitude: longitude),
        horizontalAccuracy: try session.number(option: "--accuracy", in: 0...100_000) ?? -1,
        timestamp: try session.date(option: "--at") ?? session.now,
        speed: try session.number(option: "--speed", in: 0...500)))
  }

  /// Reads the positions, grouped by device name. The name is empty if the source does not contain a name.
  func batches() throws(CommandError) -> [(device: String, batch: DeviceBatch)] {
    switch self {
    case .single(let fix):
      var batch = DeviceBatch()
      batch.fixes = [fix]
      return [("", batch)]
    case .file(let path):
      let bytes = try FileInput.bytes(of: path)
      guard ImportFormat.detect(bytes) != nil else { return Self.batches(ofLines: bytes) }
      do throws(InterchangeError) {
        return try TrackFile(reading: bytes).batchesByDevice
      } catch {
        throw CommandError("Cannot read \(path): \(error)", hint: "Nothing was added.", exit: .badData)
      }
    }
  }

  /// Parses lines in GPSLogger's custom URL format: latitude, longitude, time and optional fields.
  private static func batches(ofLines bytes: [UInt8]) -> [(device: String, batch: DeviceBatch)] {
    var byDevice: [String: DeviceBatch] = [:]
    for (number, line) in bytes.split(separator: 0xA).enumerated() where !line.allSatisfy({ $0 <= 0x20 }) {
      do {
        let batch = try DeviceRequest.gpsLogger(query: "", body: Array(line))
        byDevice[batch.device ?? "", default: DeviceBatch()].add(batch, line: number + 1)
      } catch {
        byDevice["", default: DeviceBatch()].add(problem: "not valid JSON", line: number + 1)
      }
    }
    return byDevice.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension DeviceBatch {
  fileprivate mutating func add(_ other: DeviceBatch, line: Int) {
    fixes += other.fixes
    for problem in other.problems { add(problem: problem.reason, line: line) }
  }

  fileprivate mutating func add(problem: String, line: Int) {
    problemCount += 1
    if problems.count < 10 { problems.append(ImportProblem(place: "line \(line)", reason: problem)) }
  }
}
