import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyTrips

struct TripExplainCommand: Command {
  static let spec = CommandSpec(
    "trip explain", .one("id", .trip, "id"), summary: "Explain how a trip was detected.",
    group: .drive, examples: ["trip explain @1"], columns: ["time", "rule", "words"])

  struct Answer {
    /// The trip or visit to explain.
    var event: Event
    var explanation: FindingExplanation
    /// Whether the hub detected the event, from a tracker's positions.
    var isFromHub = false
    /// Number of detection steps that this version cannot describe.
    var unknownCount = 0
  }

  private let id: String

  init(_ session: Session) { id = session.arguments.positionals[0] }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    let event = try Lookup(store: container.makeStore()).event(id, from: [.trip, .geofence])
    if container.record.hasTracks,
      let explanation = try container.record.makeTrackIntake().explanation(eventId: event.id)
    {
      return Answer(event: event, explanation: explanation)
    }
    guard let account = try container.accountFile.load() else { throw unknown(event) }
    return try askHub(account, of: event, session)
  }

  private func unknown(_ event: Event) -> CommandError {
    CommandError(
      "No explanation for \(ShortID.of(event.id)) on this device",
      hint: "It was recorded by hand or detected on another device.", exit: .notFound)
  }

  private func askHub(_ account: Account, of event: Event, _ session: Session) throws -> Answer {
    let answer = try NetworkProgram.answer(to: ["explain", event.id, "--store", session.storeDirectory.path])
    if let error = answer.objectValue?["error"]?.objectValue {
      let message = error["message"]?.stringValue ?? "no response"
      throw CommandError(
        "It was not detected on this device, and \(account.hubName) did not respond: \(message)",
        hint: error["hint"]?.stringValue,
        exit: error["exit"]?.intValue.flatMap { ExitCode(rawValue: Int32($0)) } ?? .unreachable)
    }
    guard answer != .object([:]) else { throw unknown(event) }
    let found = try WireJSON.decode(APIExplanation.self, from: WireJSON.encode(answer))
    let decisions = found.decisions.compactMap { decision in
      TripDecision.Rule(rawValue: decision.rule).map {
        TripDecision(
          $0, at: decision.time, seconds: decision.seconds, meters: decision.meters, limit: decision.limit)
      }
    }
    let explanation = FindingExplanation(
      device: found.deviceName.isEmpty ? found.deviceId : found.deviceName, start: found.start, end: found.end,
      isPersonal: found.isPersonal, isSettled: found.isSettled, decisions: decisions, readings: found.readings)
    return Answer(
      event: event, explanation: explanation, isFromHub: true,
      unknownCount: found.decisions.count - decisions.count)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let local = session.local
    switch session.console.format {
    case .json, .ndjson: session.console.document("trendy.explanation/1", answer.members(in: local))
    case .plain:
      for decision in answer.explanation.decisions {
        session.console.row([local.rfc3339(decision.time), decision.rule.rawValue, decision.words])
      }
    case .text:
      let year = local.components(of: session.now).year
      for line in answer.lines(in: local, year: year) { session.console.sentence(line, hanging: 7) }
    }
    return .done
  }
}

extension TripExplainCommand.Answer {
  fileprivate func members(in local: LocalTime) -> [(String, JSONText)] {
    let decisions = explanation.decisions.map { decision in
      JSONText.object([
        ("time", .string(local.rfc3339(decision.time))), ("rule", .string(decision.rule.rawValue)),
        ("seconds", .number(decision.seconds)), ("metres", .number(decision.meters)),
        ("limit", .number(decision.limit)), ("words", .string(decision.words)),
      ])
    }
    return [
      ("id", .string(event.id)), ("device", .string(explanation.device)), ("at", .string(isFromHub ? "hub" : "device")),
      ("start", .string(local.rfc3339(explanation.start))),
      ("end", .string(explanation.end.map { local.rfc3339($0) })), ("readings", .number(explanation.readings)),
      ("is_settled", .bool(explanation.isSettled)), ("is_personal", .bool(explanation.isPersonal)),
      ("decisions", .array(decisions)),
    ]
  }

  fileprivate func lines(in local: LocalTime, year: Int) -> [String] {
    let start = local.dayAndTime(explanation.start, year: year)
    let end = explanation.end.map { " – \(local.time($0))" } ?? ", still open"
    var lines = [
      "\(start)\(end), from \(explanation.readings) readings from \(explanation.device)\(isFromHub ? ", detected by the hub" : "")"
    ]
    lines += explanation.decisions.map { "\(local.time($0.time))  \($0.words)" }
    if unknownCount > 0 {
      lines.append("\(Quantity(unknownCount, "more decision")) from the hub; a newer version of trendy can show them.")
    }
    if explanation.decisions.isEmpty, unknownCount == 0 {
      lines.append(
        event.sourceType == .trip
          ? "The device itself reported the start and the end of the trip."
          : "This is a visit: positions were inside the place for the dwell time, then outside it for as long.")
    }
    if !explanation.isSettled { lines.append("Further positions may still change it.") }
    if explanation.isPersonal { lines.append("You edited it, so detection no longer changes it.") }
    return lines
  }
}
