import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels
import TrendyTrips

struct TripClassifyCommand: Command {
  static let spec = CommandSpec(
    "trip classify", .optional("id", .trip), .optional("category", .tripCategory),
    summary: "Classify a trip, or apply the rules to all trips not classified by hand.", group: .drive,
    examples: ["trip classify", "trip classify @1 business"],
    options: [
      OptionSpec("--business", value: "length", kind: .text, help: "business distance of a mixed trip"),
      OptionSpec("--since", value: "time", kind: .time, help: "apply the rules only to trips since this time"),
    ], columns: .tripColumns)

  enum Answer {
    case trip(OneTrip)
    /// Number of reclassified trips.
    case changed(Int)
  }

  private enum Work {
    /// Classifies one trip by hand. `businessDistance`, for a mixed trip, is in metres.
    case one(id: String, category: TripCategory, businessDistance: Double?)
    case byRule(since: Date?)
  }

  private let work: Work

  init(_ session: Session) throws {
    let words = session.arguments.positionals
    guard let id = words.first else {
      work = .byRule(since: try session.date(option: "--since", .since))
      return
    }
    guard words.count == 2 else {
      throw session.usageError("Missing category: business, private or mixed")
    }
    work = .one(
      id: id, category: try session.category(words[1]), businessDistance: try session.metres(option: "--business"))
  }

  func act(_ session: Session) throws -> Answer {
    let container = try session.openStore()
    switch work {
    case .one(let id, let category, let businessDistance):
      let old = try Lookup(store: container.makeStore()).trip(id)
      var trip = old
      trip.classify(category, businessMeters: businessDistance)
      if trip != old {
        try container.record.perform(
          session.undoLabel("classify", "trip", old.event), [.event(trip.event)], before: [.event(old.event)])
      }
      return .trip(try OneTrip(trip, in: container.makeStore()))
    case .byRule(let since): return .changed(try classifyByRule(since: since, in: container))
    }
  }

  /// Applies the rules to all trips not classified by hand. Returns the number of changed trips.
  private func classifyByRule(since: Date?, in container: AppContainer) throws -> Int {
    let store = container.makeStore()
    var (before, after): ([AnyEntity], [AnyEntity]) = ([], [])
    for old in try store.trips(in: since.map { $0..<Date.distantFuture })
    where old.category == nil || old.rule != nil {
      guard let rule = try old.rule(in: store) else { continue }
      var trip = old
      trip.classify(rule.category, by: rule.name)
      guard trip != old else { continue }
      before.append(.event(old.event))
      after.append(.event(trip.event))
    }
    if !after.isEmpty { try container.record.perform("classify \(after.count) trips by rule", after, before: before) }
    return after.count
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch answer {
    case .trip(let trip): return trip.show(session)
    case .changed(let count):
      if session.console.isJSON { session.console.document("trendy.classified/1", [("changed", .number(count))]) }
      session.console.done("Classified \(Quantity(count, "trip")).")
      return .done
    }
  }
}
