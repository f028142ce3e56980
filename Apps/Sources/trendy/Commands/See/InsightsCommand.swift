import CommandSupport
import TrendyInsights
import TrendyModels

/// `trendy insights`
struct InsightsCommand: Command {
  static let spec = CommandSpec(
    "insights", summary: "What goes with what, what grew or shrank, and what is overdue.", group: .see,
    examples: ["insights", "insights --json"], options: TypeHistories.optionsOfMany,
    columns: ["finding", "type", "other type", "figure"])

  struct Answer {
    let types: [String: EventType]
    let relations: [Relation]
    /// Of those that changed.
    let trends: [(type: EventType, trend: Trend)]
    /// Of those that are overdue.
    let gaps: [(type: EventType, gap: Gap)]
    /// Days until relations can be looked for; 0 where they could.
    let missingDays: Int
  }

  init(_ session: Session) {}

  func act(_ session: Session) throws -> Answer {
    let all = try TypeHistories(session).all()
    let histories = Dictionary(uniqueKeysWithValues: all.map { ($0.type.id, $0.history) })
    return Answer(
      types: Dictionary(uniqueKeysWithValues: all.map { ($0.type.id, $0.type) }),
      relations: Relation.strongest(among: histories),
      trends: all.compactMap { type, history in
        history.trend.value.flatMap { $0.direction == .steady ? nil : (type, $0) }
      },
      gaps: all.compactMap { type, history in history.gap.value.flatMap { $0.isLong ? (type, $0) : nil } },
      missingDays: Relation.missingDays(among: all.map(\.history)))
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    let console = session.console
    let narrator = PlainNarrator()
    func name(_ id: String) -> String { answer.types[id]?.name ?? id }
    if console.isJSON { console.document("trendy.insights/1", json(answer, narrator)) }
    if console.format == .plain {
      for relation in answer.relations {
        console.row(["relation", name(relation.first), name(relation.second), "\(relation.correlation.r)"])
      }
      for (type, trend) in answer.trends {
        console.row(["trend", type.name, "", trend.change.map { "\($0)" } ?? "new"])
      }
      for (type, gap) in answer.gaps { console.row(["gap", type.name, "", "\(gap.days)"]) }
    }
    for relation in answer.relations {
      let basis =
        "r \(relation.correlation.r.text(decimals: 2)), \(relation.correlation.count) days, \(relation.confidence.rawValue)"
      console.text(
        StyledText([
          StyledText.Part(narrator.sentence(relation, first: name(relation.first), second: name(relation.second))),
          StyledText.Part(basis, .dim, rank: .id),
        ]))
    }
    func say(_ sentence: String) {
      for line in console.terminal.lines(of: sentence) { console.text(line) }
    }
    for (type, trend) in answer.trends { say(narrator.sentence(trend, of: type.name)) }
    for (type, gap) in answer.gaps { say(narrator.sentence(gap, of: type.name)) }
    if answer.missingDays > 0 {
      say(
        "\(Quantity(answer.missingDays, "more day", "more days")) of two types until what goes with what can be told.")
    } else if answer.relations.isEmpty, answer.trends.isEmpty, answer.gaps.isEmpty {
      say("Nothing stands out in the last \(Relation.span) days.")
    }
    return .done
  }

  private func json(_ answer: Answer, _ narrator: PlainNarrator) -> [(String, JSONText)] {
    func type(_ id: String) -> JSONText {
      .object([("id", .string(id)), ("name", .string(answer.types[id]?.name))])
    }
    func name(_ id: String) -> String { answer.types[id]?.name ?? id }
    let relations = answer.relations.map { relation in
      JSONText.object([
        ("first", type(relation.first)), ("second", type(relation.second)), ("lag_days", .number(relation.lag)),
        ("r", .number(relation.correlation.r)), ("p", .number(relation.correlation.p)),
        ("adjusted_p", .number(relation.adjustedP)), ("days", .number(relation.correlation.count)),
        ("confidence", .string(relation.confidence.rawValue)),
        ("from", .string(relation.firstBasis.from.description)),
        ("through", .string(relation.firstBasis.through.description)),
        ("first_events", .number(relation.firstBasis.events)),
        ("second_events", .number(relation.secondBasis.events)),
        ("sentence", .string(narrator.sentence(relation, first: name(relation.first), second: name(relation.second)))),
      ])
    }
    let trends = answer.trends.map { entry in
      JSONText.object([
        ("event_type", type(entry.type.id)), ("recent", .number(entry.trend.recent)),
        ("before", .number(entry.trend.before)), ("change", .number(entry.trend.change)),
        ("sentence", .string(narrator.sentence(entry.trend, of: entry.type.name))),
      ])
    }
    let gaps = answer.gaps.map { entry in
      JSONText.object([
        ("event_type", type(entry.type.id)), ("days", .number(entry.gap.days)), ("usual", .number(entry.gap.usual)),
        ("sentence", .string(narrator.sentence(entry.gap, of: entry.type.name))),
      ])
    }
    return [
      ("relations", .array(relations)), ("trends", .array(trends)), ("gaps", .array(gaps)),
      ("needs_days", .number(answer.missingDays)),
    ]
  }
}
