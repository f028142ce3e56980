// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "TrendyTrips",
  platforms: [.iOS(.v18), .macOS(.v15)],
  products: [.library(name: "TrendyTrips", targets: ["TrendyTrips"])],
  dependencies: [
    .package(path: "../TrendyModels"), .package(path: "../TrendyProtocols"), .package(path: "../TrendyTesting"),
  ],
  targets: [
    .target(name: "TrendyTrips", dependencies: ["TrendyModels", "TrendyProtocols"]),
    .testTarget(
      name: "TrendyTripsTests", dependencies: ["TrendyModels", "TrendyProtocols", "TrendyTesting", "TrendyTrips"],
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
