public import TrendyFoundation
public import TrendyInsights
public import TrendyModels
public import TrendyProtocols

extension TodayTally {
  /// Days whose events are read at first while a streak goes on; few where what lies before them is counted.
  private static func firstSpan(isCounted: Bool) -> Int { isCounted ? 8 : 32 }

  /// Without an event yet, with the excused days and the properties that the record has.
  /// - Parameters:
  ///   - types: those that are asked about.
  ///   - store: the record.
  ///   - running: the events that were started and not stopped; `nil` looks for them.
  ///   - now: lies in the day that is told of.
  ///   - local: says when days and weeks begin.
  public init(
    of types: [EventType], in store: any DataStoreProtocol, running: [Event]? = nil, now: Date, local: LocalTime
  ) throws {
    let isOfTime = types.contains { $0.goal?.measure == .duration }
    let skips = try store.fetchRecords(kind: .skip).compactMap(Skip.init)
    self.init(
      types: types, durationKeys: isOfTime ? try TypeGoal.durationKeys(in: store) : [:],
      skips: Dictionary(grouping: skips, by: \.eventTypeId).mapValues { $0.map { $0.dates(in: local) } },
      running: Set(try (running ?? RunningEvent.all(in: store).map(\.event)).map(\.id)), now: now, local: local)
  }

  /// Takes in the events of a type on which its count, its goal and its streak rest.
  /// - Parameters:
  ///   - type: one of those that it was made with.
  ///   - store: the record.
  ///   - hasStreak: whether the days in a row are looked for, which may mean to read far back; else the days of the goal are read.
  ///   - counted: how many events the types that it is given had on which days, through the day that it is given. Asked for where a
  ///     streak goes on for longer than a week; `nil` reads the events.
  public mutating func add(
    _ type: EventType, from store: any DataStoreProtocol, hasStreak: Bool,
    counted: ((Set<String>, CivilDate) throws -> [String: TypeHistory])? = nil
  ) throws {
    let today = snapshot.day
    let ofGoal = type.goal?.days(around: today, firstWeekday: local.firstWeekday).lowerBound ?? today
    var span = Self.firstSpan(isCounted: counted != nil)
    var first = hasStreak ? today.advanced(by: 1 - span) : ofGoal
    add(try store.events(of: first...today, ofType: type.id, in: local))
    while hasStreak, isStreakOpen(of: type.id, from: first) {
      if let counted {
        if let history = try counted([type.id], today)[type.id] { add(history.days, of: type.id, before: first) }
        return
      }
      let end = first.advanced(by: -1)
      span *= 2
      first = first.advanced(by: -span)
      add(try store.events(of: first...end, ofType: type.id, in: local))
    }
  }
}
