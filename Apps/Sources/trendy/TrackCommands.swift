import TrendyAgent
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyInterchange
import TrendyModels
import TrendyTrips

extension Command {
  static let trackCommands: [Command] = [
    Command(
      path: ["track", "detect"], arguments: "<path> ...",
      summary: "The trips in recorded tracks: files, or folders of them; nothing is recorded.", group: .drive,
      examples: ["track detect drive.gpx", "track detect tracks/"]
    ) { session in
      guard !session.arguments.positionals.isEmpty else { throw session.usageError("Missing the file or folder") }
      var found: [String: [TripRecord]] = [:]
      for path in session.arguments.positionals {
        let sources = try TrackDetection.sources(at: URL(filePath: path))
        guard !sources.isEmpty else {
          throw CommandError("There is no track at \(path)", hint: "Name a file, or a folder of them.", exit: .notFound)
        }
        for source in sources {
          do {
            let bytes = [UInt8](try Data(contentsOf: source.file))
            found[source.id] = try TrackDetection.trips(in: bytes)
          } catch let error as InterchangeError {
            // A folder may hold a page of words beside its tracks; a file that was named must be read.
            guard sources.count > 1 else {
              throw CommandError("\(path) cannot be read: \(error)", exit: .badData)
            }
            session.console.talk("Passed over \(source.file.lastPathComponent): \(error)")
          }
        }
      }
      let tracks = found.sorted { $0.key < $1.key }
      if session.console.isJSON {
        session.console.data(
          JSONText.object(tracks.map { id, trips in (id, .array(trips.map { json($0, session: session) })) })
            .description)
        return .done
      }
      for (id, trips) in tracks {
        session.console.done("\(id): \(trips.count == 1 ? "1 trip" : "\(trips.count) trips")")
        for trip in trips { session.console.done("  \(line(trip, session: session))") }
      }
      return .done
    }
  ]

  private static func line(_ record: TripRecord, session: Session) -> String {
    let kilometres = (record.trip.distanceMeters / 10).rounded() / 100
    let legs = record.legs.count > 1 ? " (\(record.legs.map(\.mode.rawValue).joined(separator: ", ")))" : ""
    let end = record.trip.endTime.map { " – \(session.local.time($0))" } ?? ""
    return
      "\(session.local.dayAndTime(record.trip.startTime, year: 0))\(end)  \(kilometres) km  \(record.mode.rawValue)\(legs)"
  }

  private static func json(_ record: TripRecord, session: Session) -> JSONText {
    func part(_ start: Date, _ end: Date?, _ distance: Double, _ mode: MotionState) -> [(String, JSONText)] {
      [
        ("start", .string(session.local.rfc3339(start))), ("end", .string(end.map { session.local.rfc3339($0) })),
        ("distance_m", .number((distance * 10).rounded() / 10)), ("mode", .string(mode.rawValue)),
      ]
    }
    let legs = record.legs.map { JSONText.object(part($0.startTime, $0.endTime, $0.distanceMeters, $0.mode)) }
    return .object(
      part(record.trip.startTime, record.trip.endTime, record.trip.distanceMeters, record.mode)
        + [("legs", .array(legs))])
  }
}
