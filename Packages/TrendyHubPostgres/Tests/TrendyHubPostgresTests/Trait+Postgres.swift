import PostgresTesting
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips the test if PostgreSQL is not installed, with the missing program as the reason.
  static var onPostgres: Self {
    .enabled(if: PostgresCluster.missing == nil, Comment(rawValue: PostgresCluster.missing ?? ""))
  }
}
