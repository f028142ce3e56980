import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyInterchange
import TrendyTrips

struct TrackAddCommand: Command {
  static let spec = CommandSpec(
    "track add", .optional("file|-", .file),
    summary: "Add positions of a device and detect trips and visits in them.",
    group: .drive, examples: ["track add drive.gpx --device phone", "track add - --device phone"],
    options: [
      OptionSpec(
        "--device", value: "name", kind: .device, help: "name of the device (default: from the file, else 'device')")
    ] + FixSource.options)

  /// Maximum number of positions per save.
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
      // Save a long track in several steps to limit memory use.
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
      // The progress of a running trip is not stored, but the agent must send it to clients that display it.
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
    session.console.done("Added \(Quantity(answer.added, "position")), \(answer.known) already stored.")
    for problem in answer.problems.prefix(3) { session.console.done("Skipped: \(problem)") }
    if answer.problemCount > 3 { session.console.done("  and \(answer.problemCount - 3) more") }
    if !answer.changes.isEmpty { session.console.done(text.words) }
    if let delay = answer.delay { session.console.talk("Trips and visits will be detected later: \(delay)") }
    guard answer.added + answer.known > 0 else {
      throw CommandError("No position was added", hint: "The reasons are listed above.", exit: .badData)
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
