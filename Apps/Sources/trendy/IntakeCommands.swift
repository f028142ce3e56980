import AgentLink
import TrendyAgent
import AppContainer
import CommandSupport
#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
import TrendyInterchange
import TrendyModels
import TrendyProtocols
import TrendyTrips

extension Command {
  /// What comes of fixes: adding them, finding again what is in them, saying why.
  static let intakeCommands: [Command] = [
    Command(
      path: ["track", "add"], arguments: "[<file>|-]",
      summary: "Keep fixes of a device, and record the trips and visits in them: a track, JSON lines, or one fix.",
      group: .drive,
      examples: ["track add drive.gpx --device phone", "track add - --device phone"],
      options: [
        OptionSpec("--device", value: "name", help: "whose fixes they are (as the file says, else 'device')"),
        OptionSpec("--at", value: "time", help: "one fix: when (now)"),
        OptionSpec("--lat", value: "degrees", help: "one fix: latitude"),
        OptionSpec("--lon", value: "degrees", help: "one fix: longitude"),
        OptionSpec("--accuracy", value: "metres", help: "one fix: how uncertain it is"),
        OptionSpec("--speed", value: "m/s", help: "one fix: how fast it was"),
      ]
    ) { session in
      let container = try session.openStore()
      let intake = try container.record.makeTrackIntake()
      var sum = TrackIntake.Taken()
      for (name, batch) in try batches(session: session) {
        // A long track in steps, so that none is too large for a save.
        var rest = batch.fixes[...]
        var part = batch
        repeat {
          part.fixes = Array(rest.prefix(20_000))
          rest = rest.dropFirst(20_000)
          let taken = try intake.take(part, device: session.arguments.value("--device") ?? name)
          sum.added += taken.added
          sum.known += taken.known
          sum.problems += taken.problems
          sum.problemCount += taken.problemCount
          sum.delay = taken.delay ?? sum.delay
          sum.changes.add(taken.changes)
          part = DeviceBatch()
        } while !rest.isEmpty
      }
      if sum.added > 0 {
        let isChanged = try intake.tick() || !sum.changes.isEmpty
        // A trip that goes on is no change of the record, and shown all the same.
        container.agent.send(isChanged ? .changed : .told)
      }
      if session.console.isJSON {
        session.console.document(
          "trendy.track-add/1",
          [
            ("added", .number(sum.added)), ("known", .number(sum.known)),
            ("problems", .array(sum.problems.map { .string($0) })), ("problem_count", .number(sum.problemCount)),
          ] + members(sum.changes))
      }
      session.console.done("\(sum.added) readings kept, \(sum.known) known before")
      for problem in sum.problems.prefix(3) { session.console.done("Left out: \(problem)") }
      if sum.problemCount > 3 { session.console.done("and \(sum.problemCount - 3) more") }
      if !sum.changes.isEmpty { session.console.done(words(sum.changes)) }
      if let delay = sum.delay { session.console.talk("What is in them will be found later: \(delay)") }
      guard sum.added + sum.known > 0 else {
        throw CommandError("No fix could be kept", hint: "See what was left out, above.", exit: .badData)
      }
      return .done
    },
    Command(
      path: ["trip", "recompute"], arguments: "",
      summary: "Find trips and visits again in the fixes that were kept; what you changed or deleted stays yours.",
      group: .drive,
      examples: ["trip recompute", "trip recompute --since mon"],
      options: [OptionSpec("--since", value: "time", help: "only in fixes from then on")]
    ) { session in
      let container = try session.openStore()
      guard container.record.hasTracks else {
        throw CommandError("No fixes are kept here", hint: "Add some: trendy track add FILE", exit: .notFound)
      }
      let changes = try container.record.makeTrackIntake().readAgain(since: try session.date(option: "--since"))
      if !changes.isEmpty { container.agent.send() }
      if session.console.isJSON { session.console.document("trendy.recompute/1", members(changes)) }
      session.console.done(changes.isEmpty ? "The same as before: nothing was changed." : words(changes))
      return .done
    },
    Command(
      path: ["trip", "explain"], arguments: "<id>", summary: "Which rule decided what about a trip, in words.",
      group: .drive,
      examples: ["trip explain @1"]
    ) { session in
      let container = try session.openStore()
      let name = try session.positionals(1...1, missing: "the id")[0]
      let event = try Lookup(store: container.makeStore()).event(name) {
        $0.sourceType == .trip || $0.sourceType == .geofence
      }
      guard container.record.hasTracks,
        let found = try container.record.makeTrackIntake().explanation(eventId: event.id)
      else {
        throw CommandError(
          "Nothing is kept of how \(ShortID.of(event.id)) was found",
          hint: "It was recorded by hand, or found on another device.", exit: .notFound)
      }
      explain(found, event: event, session: session)
      return .done
    },
  ]

  private static func members(_ changes: TrackReader.Changes) -> [(String, JSONText)] {
    [("created", changes.created), ("updated", changes.updated), ("deleted", changes.deleted)].map { name, ids in
      (name, .array(ids.map { .string($0) }))
    }
  }

  private static func words(_ changes: TrackReader.Changes) -> String {
    "Events: \(changes.created.count) new, \(changes.updated.count) changed, \(changes.deleted.count) taken back"
  }

  private static func explain(_ found: FindingExplanation, event: Event, session: Session) {
    let local = session.local
    switch session.console.format {
    case .json, .ndjson:
      session.console.document(
        "trendy.explanation/1",
        [
          ("id", .string(event.id)), ("device", .string(found.device)), ("start", .string(local.rfc3339(found.start))),
          ("end", .string(found.end.map { local.rfc3339($0) })), ("readings", .number(found.readings)),
          ("is_settled", .bool(found.isSettled)), ("is_personal", .bool(found.isPersonal)),
          (
            "decisions",
            .array(
              found.decisions.map { decision in
                .object([
                  ("time", .string(local.rfc3339(decision.time))), ("rule", .string(decision.rule.rawValue)),
                  ("seconds", .number(decision.seconds)), ("metres", .number(decision.meters)),
                  ("limit", .number(decision.limit)), ("words", .string(decision.words)),
                ])
              })
          ),
        ])
    case .plain:
      for decision in found.decisions {
        session.console.row([local.rfc3339(decision.time), decision.rule.rawValue, decision.words])
      }
    case .text:
      let end = found.end.map { " – \(local.time($0))" } ?? ", still open"
      session.console.text(
        "\(local.dayAndTime(found.start, year: local.components(of: session.now).year))\(end), from \(found.readings) readings of \(found.device)"
      )
      for decision in found.decisions { session.console.text("\(local.time(decision.time))  \(decision.words)") }
      if found.decisions.isEmpty {
        session.console.text(
          event.sourceType == .trip
            ? "The device itself said when the drive began and when it was over."
            : "A visit: fixes inside the place for its dwell time, until they were outside it for as long.")
      }
      if !found.isSettled { session.console.text("Fixes to come may still change it.") }
      if found.isPersonal { session.console.text("You changed it since: it stays as you left it.") }
    }
  }

  /// What the command line gives: a file, lines of JSON, or one fix; by the device that it names.
  private static func batches(session: Session) throws -> [(device: String, batch: DeviceBatch)] {
    if session.arguments.has("--lat") || session.arguments.has("--lon") {
      _ = try session.positionals(0...0, missing: "")
      return [("", try fix(session: session))]
    }
    let path = try session.positionals(1...1, missing: "the file, or - for the standard input")[0]
    let bytes = try FileInput.bytes(of: path)
    if ImportFormat.detect(bytes) != nil {
      let file: TrackFile
      do throws(InterchangeError) {
        file = try TrackFile(reading: bytes)
      } catch {
        throw CommandError("\(path) cannot be read: \(error)", hint: "Nothing was kept.", exit: .badData)
      }
      return file.batchesByDevice
    }
    // Lines as trackers' custom addresses have them: lat, lon, time, and what else is known.
    var byDevice: [String: DeviceBatch] = [:]
    for (number, line) in bytes.split(separator: 0xA).enumerated() where !line.allSatisfy({ $0 <= 0x20 }) {
      do {
        let batch = try DeviceRequest.gpsLogger(query: "", body: Array(line))
        byDevice[batch.device ?? "", default: DeviceBatch()].add(batch, line: number + 1)
      } catch {
        byDevice["", default: DeviceBatch()].add(problem: "this is no JSON", line: number + 1)
      }
    }
    return byDevice.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  private static func fix(session: Session) throws -> DeviceBatch {
    func number(_ option: String, in range: ClosedRange<Double>) throws -> Double? {
      guard let text = session.arguments.value(option) else { return nil }
      guard let number = Double(text), range.contains(number) else {
        throw session.usageError(
          "The value '\(text)' is invalid for '\(option)'", hint: "\(range.lowerBound) to \(range.upperBound).")
      }
      return number
    }
    guard let latitude = try number("--lat", in: -90...90), let longitude = try number("--lon", in: -180...180) else {
      throw session.usageError("A fix takes both --lat and --lon")
    }
    var batch = DeviceBatch()
    batch.fixes = [
      Location(
        coordinate: Coordinate(latitude: latitude, longitude: longitude),
        horizontalAccuracy: try number("--accuracy", in: 0...100_000) ?? -1,
        timestamp: try session.date(option: "--at") ?? session.now, speed: try number("--speed", in: 0...500))
    ]
    return batch
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
