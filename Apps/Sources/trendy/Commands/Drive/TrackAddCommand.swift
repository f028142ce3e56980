import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyInterchange
import TrendyTrips

/// `trendy track add`
struct TrackAddCommand: Command {
  static let spec = CommandSpec(
    "track add", .optional("file|-", .file),
    summary: "Keep fixes of a device, and record the trips and visits in them: a track, JSON lines, or one fix.",
    group: .drive, examples: ["track add drive.gpx --device phone", "track add - --device phone"],
    options: [
      OptionSpec(
        "--device", value: "name", kind: .device, help: "whose fixes they are (as the file says, else 'device')")
    ] + FixSource.options)

  /// Fixes that are given to a save at once.
  private static let step = 20_000

  private let source: FixSource
  private let device: String?

  init(_ session: Session) throws {
    source = try FixSource(session)
    device = session.arguments.value("--device")
  }

  func act(_ session: Session) throws -> TrackIntake.Taken {
    let container = try session.openStore()
    let intake = try container.record.makeTrackIntake(for: container.record.act("track add"))
    var sum = TrackIntake.Taken()
    for (name, batch) in try source.batches() {
      // A long track in steps, so that none is too large for a save.
      var rest = batch.fixes[...]
      var part = batch
      repeat {
        part.fixes = Array(rest.prefix(Self.step))
        rest = rest.dropFirst(Self.step)
        sum.add(try intake.take(part, device: device ?? name))
        part = DeviceBatch()
      } while !rest.isEmpty
    }
    if sum.added > 0 {
      let isChanged = try intake.tick() || !sum.changes.isEmpty
      // A trip that goes on is no change of the record, and shown all the same.
      container.agent.send(isChanged ? .changed : .told)
    }
    return sum
  }

  func show(_ answer: TrackIntake.Taken, _ session: Session) throws -> ExitCode {
    let text = TrackChangesText(changes: answer.changes)
    if session.console.isJSON {
      session.console.document(
        "trendy.track-add/1",
        [
          ("added", .number(answer.added)), ("known", .number(answer.known)),
          ("problems", .array(answer.problems.map { .string($0) })), ("problem_count", .number(answer.problemCount)),
        ] + text.members)
    }
    session.console.done("\(answer.added) readings kept, \(answer.known) known before")
    for problem in answer.problems.prefix(3) { session.console.done("Left out: \(problem)") }
    if answer.problemCount > 3 { session.console.done("and \(answer.problemCount - 3) more") }
    if !answer.changes.isEmpty { session.console.done(text.words) }
    if let delay = answer.delay { session.console.talk("What is in them will be found later: \(delay)") }
    guard answer.added + answer.known > 0 else {
      throw CommandError("No fix could be kept", hint: "See what was left out, above.", exit: .badData)
    }
    return .done
  }
}

extension TrackIntake.Taken {
  fileprivate mutating func add(_ other: TrackIntake.Taken) {
    added += other.added
    known += other.known
    problems += other.problems
    problemCount += other.problemCount
    delay = other.delay ?? delay
    changes.add(other.changes)
  }
}
