import PostgresTesting
import Testing

extension Trait where Self == ConditionTrait {
  /// Skips where there is no server of PostgreSQL, and says what is missing.
  static var onPostgres: Self {
    .enabled(if: PostgresCluster.missing == nil, Comment(rawValue: PostgresCluster.missing ?? ""))
  }
}
