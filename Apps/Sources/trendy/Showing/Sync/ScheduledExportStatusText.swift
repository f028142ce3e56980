import AppContainer
import CommandSupport
import TrendyAgent
import TrendyFoundation
import TrendyModels

/// Status of scheduled exports, derived from the files in the export folder and the last attempt.
struct ScheduledExportStatusText {
  /// Seconds after which a due export is overdue. The agent checks every minute for exports that are due.
  private static let patience = 3600.0

  private let plan: ExportPlan
  private let local: LocalTime
  /// File names of exports, or `nil` if the folder is unreadable.
  private let names: [String]?
  private let last: String?
  private let next: Date
  private let isLate: Bool
  private let failure: String?
  private let failedAt: Date?

  /// Determines the status. Returns `nil` if no exports are scheduled.
  init?(_ session: Session, _ container: AppContainer) throws {
    guard let plan = try ExportPlan(session.settings) else { return nil }
    self.plan = plan
    local = session.local
    // ``finding`` reports an unreadable folder.
    names = try? ScheduledExport.names(in: URL(filePath: plan.folder))
    last = plan.schedule.last(of: names ?? [], now: session.now, in: local)
    next = plan.schedule.next(after: names ?? [], now: session.now, in: local)
    isLate = last != nil && next.addingTimeInterval(Self.patience) < session.now
    let standing = try ScheduledExportStatus(in: container.makeLocalStore())
    let isOfThis = standing?.folder == plan.folder
    (failure, failedAt) = isOfThis ? (standing?.failure, standing?.failedAt) : (nil, nil)
  }

  /// Problem to report, or `nil` if exports work.
  var finding: String? {
    if names == nil { return "export folder \(plan.folder) not found; create it" }
    if let failure {
      return "export \(failedAt.map { "of \(local.dayAndTime($0)) " } ?? "")failed: \(failure)"
    }
    if isLate { return "export overdue since \(local.dayAndTime(next)); check the agent: trendyd status" }
    return nil
  }

  var line: String {
    if let finding { return finding }
    let what = "\(plan.format) to \(plan.folder) every \(plan.every)"
    guard let last else { return "\(what), none yet" }
    return "\(what), last \(last), next \(local.day(next))"
  }

  var json: JSONText {
    .object([
      ("every_s", .number(plan.schedule.interval)), ("to", .string(plan.folder)), ("format", .string(plan.format)),
      ("keep", .number(plan.schedule.keep)), ("last", .string(last)), ("next", .string(local.rfc3339(next))),
      ("finding", .string(finding)),
    ])
  }
}
