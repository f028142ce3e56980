import AgentLink
import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyInsights
import TrendyModels
import TrendyProtocols
import TrendyTrips

struct TodayCommand: Command {
  static let spec = CommandSpec(
    "today", summary: "Show today's entries and the progress of your goals.", group: .daily,
    examples: ["today", "today --json"], columns: .eventColumns)

  init(_ session: Session) {}

  struct Day {
    /// Events to list, oldest first: today's, and earlier events that are running or extend into today.
    var list: EventList
    var snapshot: TodaySnapshot
    /// Trip in progress, detected by the agent.
    var trip: AgentStatus.LiveTrip?
    /// Sync status in one sentence, or `nil` without a hub.
    var hub: String?
  }

  /// Reads today's entries and goals. Returns `nil` if no store exists.
  func act(_ session: Session) throws -> Day? {
    guard DeviceRecord.exists(at: session.storeDirectory) else { return nil }
    let local = session.local
    let today = local.day(of: session.now)
    let container = try session.openStore()
    let store = container.makeLocalStore()
    let (events, extending) = try session.eventsOfToday(from: store)
    let running = try RunningEvent.all(in: store).map(\.event).filter { local.day(of: $0) != today }
    let earlier = (running + extending).sorted { ($0.timestamp, $0.id) > ($1.timestamp, $1.id) }
    let list = try EventList((events + earlier).reversed(), in: store)
    var snapshot = try TodaySnapshot(
      store: store, now: session.now, in: local, streaks: .ofDailyGoals, events: events,
      counted: session.counts(of: store).histories(of:through:))
    let trip = try DetectedTrip.inProgress(container, session)
    snapshot.trip =
      try RunningTrip(in: store).map { TodaySnapshot.Trip(eventId: $0.trip.event.id, since: $0.trip.start) }
      ?? trip.map {
        TodaySnapshot.Trip(
          eventId: $0.id ?? "", since: $0.start, distance: $0.distance, isPaused: $0.state == .paused)
      }
    return Day(
      list: list, snapshot: snapshot, trip: trip,
      hub: try SyncStatusReport.sentence(container: container, session: session))
  }

  func show(_ answer: Day?, _ session: Session) throws -> ExitCode {
    guard let answer else {
      session.console.text("Trendy keeps a journal of your life, on this machine.")
      session.console.text("Start with:  trendy init")
      session.console.text("Then:        trendy log coffee")
      if session.console.isJSON { throw CommandError.noStore(at: session.storeDirectory.path) }
      return .done
    }
    let (list, snapshot) = (answer.list, answer.snapshot)
    let goals = Self.goals(answer)
    let more: [(String, JSONText)] = [
      ("goals", .array(goals.map { GoalText($0.goal).json })), ("today", snapshot.json(in: session.local)),
    ]
    list.show(schema: "trendy.today/1", more: more, session) { console, text in
      let local = text.local
      let today = local.day(of: session.now)
      let count = list.events.count { local.day(of: $0) == today }
      let entries = count == 0 ? "" : " · \(Quantity(count, "entry", "entries"))"
      console.text(StyledText([StyledText.Part(local.day(local.start(of: today)) + entries, .heading)]))
      if list.events.isEmpty { console.text("  No entries yet. To record one: trendy log TYPE") }
      let columns = text.nameColumns(of: list.events)
      for (event, id) in zip(list.events, ShortID.of(list.events.map(\.id))) {
        // The line of an event from an earlier day includes the date.
        let isOfToday = local.days(of: event).contains(today)
        console.text(
          isOfToday
            ? text.lineOfDay(event, columns: columns, id: id, on: today) : text.line(event, id: id).led(by: " "))
      }
      if !goals.isEmpty { console.text("") }
      let width = min(16, goals.map(\.goal.type.name.columns).max() ?? 0)
      for (goal, streak) in goals {
        var line = GoalText(goal).line(columns: width)
        if streak > 1 { line.parts.append(StyledText.Part("\(streak)-day streak", .dim, rank: .note)) }
        console.text(line)
      }
      let known = Set(list.events.map(\.id))
      for visit in snapshot.visits where !known.contains(visit.eventId) {
        let since = local.dayAndTime(visit.since)
        console.text("  at \(visit.place ?? "a deleted place") since \(since)")
      }
      if let trip = answer.trip {
        console.text("  trip: \(LiveText.line(trip, now: session.now, in: local, session.units))")
      }
      if let hub = answer.hub {
        console.text("")
        for line in console.terminal.lines(of: hub, indent: 2) { console.text(line) }
      }
    }
    return .done
  }

  private static func goals(_ day: Day) -> [(goal: TypeGoal, streak: Int)] {
    let counts = Dictionary(uniqueKeysWithValues: day.snapshot.counts.map { ($0.eventTypeId, $0) })
    return day.list.types.compactMap { type in
      guard let count = counts[type.id], let progress = count.progress else { return nil }
      return (TypeGoal(type: type, progress: progress), count.streak)
    }
  }
}
