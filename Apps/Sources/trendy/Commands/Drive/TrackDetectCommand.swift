import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyTrips

struct TrackDetectCommand: Command {
  static let spec = CommandSpec(
    "track detect", .oneOrMore("path", .file, "file or folder"),
    summary: "Detect trips in track files or folders; nothing is recorded.", group: .drive,
    examples: ["track detect drive.gpx", "track detect tracks/"])

  struct Answer {
    /// Detected trips, keyed by track id.
    var trips: [String: [TripRecord]] = [:]
    /// Files that are not tracks, and the reason each was skipped.
    var passedOver: [(file: URL, reason: InterchangeError)] = []
  }

  private let paths: [String]

  init(_ session: Session) { paths = session.arguments.positionals }

  func act(_ session: Session) throws -> Answer {
    var answer = Answer()
    let stop = TripStop(setting: try session.allSettings().text(Setting.tripStop))
    for path in paths { try detect(at: path, stop, &answer) }
    return answer
  }

  private func detect(at path: String, _ stop: TripStop, _ answer: inout Answer) throws {
    let sources = try TrackDetection.sources(at: URL(filePath: path))
    guard !sources.isEmpty else {
      throw CommandError(
        "No track found at \(path)", hint: "Specify a track file or a folder of track files.", exit: .notFound)
    }
    for source in sources {
      do {
        let bytes = try FileInput.bytes(of: source.file.path)
        answer.trips[source.id] = try TrackDetection.trips(in: bytes, stop: stop)
      } catch let error as InterchangeError {
        // Skip unrelated files in a folder. A single file must be readable.
        guard sources.count > 1 else {
          throw CommandError("Cannot read \(path): \(error)", exit: .badData)
        }
        answer.passedOver.append((source.file, error))
      }
    }
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let console = session.console
    for (file, reason) in answer.passedOver { console.talk("Skipped \(file.lastPathComponent): \(reason)") }
    let tracks = answer.trips.sorted { $0.key < $1.key }
    if console.isJSON {
      let members = tracks.map { id, trips in (id, JSONText.array(trips.map { $0.json(in: session.local) })) }
      console.data(JSONText.object(members).description)
      return .done
    }
    for (id, trips) in tracks {
      console.done("\(id): \(Quantity(trips.count, "trip"))")
      for trip in trips { console.done("  \(trip.line(in: session.local, session.units))") }
    }
    return .done
  }
}

extension TripRecord {
  fileprivate func line(in local: LocalTime, _ units: Units) -> String {
    let length = units.distance(trip.distanceMeters, decimals: 2)
    let modes = legs.count > 1 ? " (\(legs.map(\.mode.rawValue).joined(separator: ", ")))" : ""
    let end = trip.endTime.map { " – \(local.time($0))" } ?? ""
    return "\(local.dayAndTime(trip.startTime, year: 0))\(end)  \(length)  \(mode.rawValue)\(modes)"
  }

  fileprivate func json(in local: LocalTime) -> JSONText {
    func part(_ start: Date, _ end: Date?, _ distance: Double, _ mode: MotionState) -> [(String, JSONText)] {
      [
        ("start", .string(local.rfc3339(start))), ("end", .string(end.map { local.rfc3339($0) })),
        ("distance_m", .number((distance * 10).rounded() / 10)), ("mode", .string(mode.rawValue)),
      ]
    }
    let parts = legs.map { JSONText.object(part($0.startTime, $0.endTime, $0.distanceMeters, $0.mode)) }
    return .object(part(trip.startTime, trip.endTime, trip.distanceMeters, mode) + [("legs", .array(parts))])
  }
}
