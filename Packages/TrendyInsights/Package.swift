// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TrendyInsights",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [.library(name: "TrendyInsights", targets: ["TrendyInsights"])],
  dependencies: [.package(path: "../TrendyModels")],
  targets: [
    .target(name: "TrendyInsights", dependencies: ["TrendyModels"]),
    .testTarget(
      name: "TrendyInsightsTests", dependencies: ["TrendyInsights", "TrendyModels"],
      resources: [.copy("Resources")]),
  ]
)

// Same in every manifest: what Swift 7 will ask, asked now.
let swiftSeven: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),  // `any` says where dispatch is dynamic
  .enableUpcomingFeature("InternalImportsByDefault"),  // `public import` only for what the API shows
  .enableUpcomingFeature("MemberImportVisibility"),  // each file imports what it uses
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),  // async code stays with its caller
  .enableUpcomingFeature("InferIsolatedConformances"),
  .enableUpcomingFeature("ImmutableWeakCaptures"),
  .treatWarning("ExplicitSendable", as: .error),  // every public type says whether it is Sendable
]
for target in package.targets { target.swiftSettings = (target.swiftSettings ?? []) + swiftSeven }
