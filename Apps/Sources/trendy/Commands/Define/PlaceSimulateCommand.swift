import AppContainer
import CommandSupport
import TrendyFoundation
import TrendyInterchange
import TrendyModels
import TrendyTrips

struct PlaceSimulateCommand: Command {
  static let spec = CommandSpec(
    "place simulate", .one("name", .place, "name"), .optional("file", .file),
    summary: "Simulate visits to a place with a track or a straight path; nothing is recorded.",
    group: .define, examples: ["place simulate Home", "place simulate Home drive.gpx"],
    options: StraightWalk.options)

  struct Answer {
    var place: Geofence
    var steps: [Step] = []
    /// Entries and exits detected after the end of the track, because no more positions arrive.
    var late: [GeofenceMonitor.Effect] = []
  }

  struct Step {
    var fix: Location
    var reading: GeofenceEvaluation?
    var effects: [GeofenceMonitor.Effect]
  }

  private enum Route {
    case file(String)
    case walk(StraightWalk)
  }

  private let name: String
  private let route: Route

  init(_ session: Session) throws {
    let words = session.arguments.positionals
    name = words[0]
    route = words.count == 2 ? .file(words[1]) : .walk(try StraightWalk(session))
  }

  func act(_ session: Session) throws -> Answer {
    let place = try Lookup(store: session.openStore().makeStore()).place(name)
    var active = place
    active.isActive = true
    let monitor = GeofenceMonitor(geofences: [active])
    var detector = MovementDetector(places: monitor)
    var answer = Answer(place: place)
    for fix in try fixes(through: place, session).sorted(by: { $0.timestamp < $1.timestamp }) {
      // Evaluate the position before the detector processes it, so that the reading reflects the previous state.
      let reading = detector.readings(of: fix).first
      answer.steps.append(Step(fix: fix, reading: reading, effects: detector.onLocation(fix).crossings))
    }
    let last = answer.steps.last?.fix.timestamp ?? session.now
    answer.late =
      detector.finish().crossings
      + detector.onTick(at: last.addingTimeInterval(monitor.configuration.silentEntrySeconds)).crossings
    return answer
  }

  private func fixes(through place: Geofence, _ session: Session) throws -> [Location] {
    switch route {
    case .walk(let walk): return walk.fixes(through: place, from: session.now)
    case .file(let path):
      let bytes = try FileInput.bytes(of: path)
      do throws(InterchangeError) {
        return try TrackFile(reading: bytes).locations
      } catch {
        throw CommandError("Cannot read \(path): \(error)", exit: .badData)
      }
    }
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    if session.console.isJSON {
      session.console.document("trendy.place_simulation/1", answer.members(in: session.local))
    } else {
      printText(answer, session)
    }
    return .done
  }

  private func printText(_ answer: Answer, _ session: Session) {
    let (console, local) = (session.console, session.local)
    if !answer.place.isActive { console.talk("\(answer.place.name) is inactive; the simulation treats it as active.") }
    var last: String?
    for step in answer.steps {
      if let reading = step.reading, reading.words != last {
        let distance = "\(Int(reading.meters.rounded())) m"
        console.text("\(local.timeWithSeconds(step.fix.timestamp))  \(distance)  \(reading.words)")
        last = reading.words
      }
      for effect in step.effects { console.text("  → \(effect.words(in: local))") }
    }
    for effect in answer.late { console.text("  → \(effect.words(in: local)), if no further positions arrive") }
    let count = answer.effects.count
    console.done("\(Quantity(answer.steps.count, "position")), \(Quantity(count, "crossing"))")
  }
}

extension PlaceSimulateCommand.Answer {
  fileprivate var effects: [GeofenceMonitor.Effect] { steps.flatMap(\.effects) + late }

  fileprivate func members(in local: LocalTime) -> [(String, JSONText)] {
    [
      ("place", .string(place.name)), ("fixes", .number(steps.count)),
      ("crossings", .array(effects.map { $0.json(in: local) })),
      ("readings", .array(steps.compactMap { $0.json(in: local) })),
    ]
  }
}

extension PlaceSimulateCommand.Step {
  /// JSON for the step, or `nil` if the position is too inaccurate to evaluate.
  fileprivate func json(in local: LocalTime) -> JSONText? {
    reading.map {
      .object([
        ("at", .string(local.rfc3339(fix.timestamp))), ("distance_m", .number(($0.meters * 10).rounded() / 10)),
        ("says", .string($0.containment.rawValue)), ("is_inside", .bool($0.isInside)),
      ])
    }
  }
}

extension GeofenceMonitor.Effect {
  fileprivate func words(in local: LocalTime) -> String {
    switch self {
    case .entered(_, let fix): "entered at \(local.timeWithSeconds(fix.timestamp))"
    case .exited(_, let fix): "left at \(local.timeWithSeconds(fix.timestamp))"
    }
  }

  fileprivate func json(in local: LocalTime) -> JSONText {
    let (kind, fix) =
      switch self {
      case .entered(_, let fix): ("enter", fix)
      case .exited(_, let fix): ("exit", fix)
      }
    return .object([("kind", .string(kind)), ("at", .string(local.rfc3339(fix.timestamp)))])
  }
}

extension LocalTime {
  fileprivate func timeWithSeconds(_ date: Date) -> String {
    let seconds = Int(date.timeIntervalSince1970) % 60
    return "\(time(date)):\(seconds < 10 ? "0" : "")\(seconds)"
  }
}
