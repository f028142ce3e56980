import CommandSupport
import TrendyFoundation
import TrendyInsights
import TrendyModels

struct InsightsCommand: Command {
  static let spec = CommandSpec(
    "insights", .optional("number", .number),
    summary: "Show correlations, trends, habits and overdue entries.", group: .review,
    examples: ["insights", "insights 1", "insights --json"],
    options: [OptionSpec("--refresh", help: "recompute from all entries instead of using cached counts")]
      + ReportOptions.ofTypes,
    columns: ["finding or day", "type or its count", "other type or its count", "figure"])

  enum Answer {
    case all(FoundInsights)
    case one(RelationPicture)
  }

  private let number: Int?
  private let options: ReportOptions

  init(_ session: Session) throws {
    options = try ReportOptions(session)
    let most = CorrelationSearch.most
    number = try session.arguments.positionals.first.map { text in
      guard let number = Int(text), (1...most).contains(number) else {
        throw session.usageError(
          "Invalid number '\(text)'", hint: "Use a number from the list of 'trendy insights', 1 to \(most).")
      }
      return number
    }
  }

  func act(_ session: Session) throws -> Answer {
    if session.arguments.has("--refresh") { try forgetCounts() }
    let found = FoundInsights(try options.report(session).report)
    guard let number else { return .all(found) }
    guard let picture = RelationPicture(found, ofRelation: number - 1) else {
      let count = found.search.strongest.count
      throw CommandError(
        count == 0 ? "No correlations found" : "Correlation \(number) not found: the list ends at \(count)",
        hint: "Run 'trendy insights' to list them.", exit: .notFound)
    }
    return .one(picture)
  }

  func show(_ answer: Answer, _ session: Session) -> ExitCode {
    switch answer {
    case .all(let found): InsightsText(found, isNarrow: options.isNarrow, session.local).show(session.console)
    case .one(let picture): picture.show(session.console)
    }
    return .done
  }

  private func forgetCounts() throws {
    let cache = Session.countsFolder
    guard FileManager.default.fileExists(atPath: cache.path) else { return }
    do {
      try FileManager.default.removeItem(at: cache)
    } catch {
      throw CommandError(
        cannot: "delete the cached counts in", cache.path, error, hint: "Delete that folder yourself.")
    }
  }
}
