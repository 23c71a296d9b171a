// SPDX-License-Identifier: Apache-2.0
// Methods with more than 256 local variables: every wide form of load, store and iinc, for each type.
// @quick
public class WideLocals {
    static String wide(int seed) {
        int v0 = seed + 0;
        int v1 = seed + 1;
        int v2 = seed + 2;
        int v3 = seed + 3;
        int v4 = seed + 4;
        int v5 = seed + 5;
        int v6 = seed + 6;
        int v7 = seed + 7;
        int v8 = seed + 8;
        int v9 = seed + 9;
        int v10 = seed + 10;
        int v11 = seed + 11;
        int v12 = seed + 12;
        int v13 = seed + 13;
        int v14 = seed + 14;
        int v15 = seed + 15;
        int v16 = seed + 16;
        int v17 = seed + 17;
        int v18 = seed + 18;
        int v19 = seed + 19;
        int v20 = seed + 20;
        int v21 = seed + 21;
        int v22 = seed + 22;
        int v23 = seed + 23;
        int v24 = seed + 24;
        int v25 = seed + 25;
        int v26 = seed + 26;
        int v27 = seed + 27;
        int v28 = seed + 28;
        int v29 = seed + 29;
        int v30 = seed + 30;
        int v31 = seed + 31;
        int v32 = seed + 32;
        int v33 = seed + 33;
        int v34 = seed + 34;
        int v35 = seed + 35;
        int v36 = seed + 36;
        int v37 = seed + 37;
        int v38 = seed + 38;
        int v39 = seed + 39;
        int v40 = seed + 40;
        int v41 = seed + 41;
        int v42 = seed + 42;
        int v43 = seed + 43;
        int v44 = seed + 44;
        int v45 = seed + 45;
        int v46 = seed + 46;
        int v47 = seed + 47;
        int v48 = seed + 48;
        int v49 = seed + 49;
        int v50 = seed + 50;
        int v51 = seed + 51;
        int v52 = seed + 52;
        int v53 = seed + 53;
        int v54 = seed + 54;
        int v55 = seed + 55;
        int v56 = seed + 56;
        int v57 = seed + 57;
        int v58 = seed + 58;
        int v59 = seed + 59;
        int v60 = seed + 60;
        int v61 = seed + 61;
        int v62 = seed + 62;
        int v63 = seed + 63;
        int v64 = seed + 64;
        int v65 = seed + 65;
        int v66 = seed + 66;
        int v67 = seed + 67;
        int v68 = seed + 68;
        int v69 = seed + 69;
        int v70 = seed + 70;
        int v71 = seed + 71;
        int v72 = seed + 72;
        int v73 = seed + 73;
        int v74 = seed + 74;
        int v75 = seed + 75;
        int v76 = seed + 76;
        int v77 = seed + 77;
        int v78 = seed + 78;
        int v79 = seed + 79;
        int v80 = seed + 80;
        int v81 = seed + 81;
        int v82 = seed + 82;
        int v83 = seed + 83;
        int v84 = seed + 84;
        int v85 = seed + 85;
        int v86 = seed + 86;
        int v87 = seed + 87;
        int v88 = seed + 88;
        int v89 = seed + 89;
        int v90 = seed + 90;
        int v91 = seed + 91;
        int v92 = seed + 92;
        int v93 = seed + 93;
        int v94 = seed + 94;
        int v95 = seed + 95;
        int v96 = seed + 96;
        int v97 = seed + 97;
        int v98 = seed + 98;
        int v99 = seed + 99;
        int v100 = seed + 100;
        int v101 = seed + 101;
        int v102 = seed + 102;
        int v103 = seed + 103;
        int v104 = seed + 104;
        int v105 = seed + 105;
        int v106 = seed + 106;
        int v107 = seed + 107;
        int v108 = seed + 108;
        int v109 = seed + 109;
        int v110 = seed + 110;
        int v111 = seed + 111;
        int v112 = seed + 112;
        int v113 = seed + 113;
        int v114 = seed + 114;
        int v115 = seed + 115;
        int v116 = seed + 116;
        int v117 = seed + 117;
        int v118 = seed + 118;
        int v119 = seed + 119;
        int v120 = seed + 120;
        int v121 = seed + 121;
        int v122 = seed + 122;
        int v123 = seed + 123;
        int v124 = seed + 124;
        int v125 = seed + 125;
        int v126 = seed + 126;
        int v127 = seed + 127;
        int v128 = seed + 128;
        int v129 = seed + 129;
        int v130 = seed + 130;
        int v131 = seed + 131;
        int v132 = seed + 132;
        int v133 = seed + 133;
        int v134 = seed + 134;
        int v135 = seed + 135;
        int v136 = seed + 136;
        int v137 = seed + 137;
        int v138 = seed + 138;
        int v139 = seed + 139;
        int v140 = seed + 140;
        int v141 = seed + 141;
        int v142 = seed + 142;
        int v143 = seed + 143;
        int v144 = seed + 144;
        int v145 = seed + 145;
        int v146 = seed + 146;
        int v147 = seed + 147;
        int v148 = seed + 148;
        int v149 = seed + 149;
        int v150 = seed + 150;
        int v151 = seed + 151;
        int v152 = seed + 152;
        int v153 = seed + 153;
        int v154 = seed + 154;
        int v155 = seed + 155;
        int v156 = seed + 156;
        int v157 = seed + 157;
        int v158 = seed + 158;
        int v159 = seed + 159;
        int v160 = seed + 160;
        int v161 = seed + 161;
        int v162 = seed + 162;
        int v163 = seed + 163;
        int v164 = seed + 164;
        int v165 = seed + 165;
        int v166 = seed + 166;
        int v167 = seed + 167;
        int v168 = seed + 168;
        int v169 = seed + 169;
        int v170 = seed + 170;
        int v171 = seed + 171;
        int v172 = seed + 172;
        int v173 = seed + 173;
        int v174 = seed + 174;
        int v175 = seed + 175;
        int v176 = seed + 176;
        int v177 = seed + 177;
        int v178 = seed + 178;
        int v179 = seed + 179;
        int v180 = seed + 180;
        int v181 = seed + 181;
        int v182 = seed + 182;
        int v183 = seed + 183;
        int v184 = seed + 184;
        int v185 = seed + 185;
        int v186 = seed + 186;
        int v187 = seed + 187;
        int v188 = seed + 188;
        int v189 = seed + 189;
        int v190 = seed + 190;
        int v191 = seed + 191;
        int v192 = seed + 192;
        int v193 = seed + 193;
        int v194 = seed + 194;
        int v195 = seed + 195;
        int v196 = seed + 196;
        int v197 = seed + 197;
        int v198 = seed + 198;
        int v199 = seed + 199;
        int v200 = seed + 200;
        int v201 = seed + 201;
        int v202 = seed + 202;
        int v203 = seed + 203;
        int v204 = seed + 204;
        int v205 = seed + 205;
        int v206 = seed + 206;
        int v207 = seed + 207;
        int v208 = seed + 208;
        int v209 = seed + 209;
        int v210 = seed + 210;
        int v211 = seed + 211;
        int v212 = seed + 212;
        int v213 = seed + 213;
        int v214 = seed + 214;
        int v215 = seed + 215;
        int v216 = seed + 216;
        int v217 = seed + 217;
        int v218 = seed + 218;
        int v219 = seed + 219;
        int v220 = seed + 220;
        int v221 = seed + 221;
        int v222 = seed + 222;
        int v223 = seed + 223;
        int v224 = seed + 224;
        int v225 = seed + 225;
        int v226 = seed + 226;
        int v227 = seed + 227;
        int v228 = seed + 228;
        int v229 = seed + 229;
        int v230 = seed + 230;
        int v231 = seed + 231;
        int v232 = seed + 232;
        int v233 = seed + 233;
        int v234 = seed + 234;
        int v235 = seed + 235;
        int v236 = seed + 236;
        int v237 = seed + 237;
        int v238 = seed + 238;
        int v239 = seed + 239;
        int v240 = seed + 240;
        int v241 = seed + 241;
        int v242 = seed + 242;
        int v243 = seed + 243;
        int v244 = seed + 244;
        int v245 = seed + 245;
        int v246 = seed + 246;
        int v247 = seed + 247;
        int v248 = seed + 248;
        int v249 = seed + 249;
        int v250 = seed + 250;
        int v251 = seed + 251;
        int v252 = seed + 252;
        int v253 = seed + 253;
        int v254 = seed + 254;
        int v255 = seed + 255;
        int v256 = seed + 256;
        int v257 = seed + 257;
        int v258 = seed + 258;
        int v259 = seed + 259;
        int v260 = seed + 260;
        int v261 = seed + 261;
        int v262 = seed + 262;
        int v263 = seed + 263;
        int v264 = seed + 264;
        int v265 = seed + 265;
        int v266 = seed + 266;
        int v267 = seed + 267;
        int v268 = seed + 268;
        int v269 = seed + 269;
        int v270 = seed + 270;
        int v271 = seed + 271;
        int v272 = seed + 272;
        int v273 = seed + 273;
        int v274 = seed + 274;
        int v275 = seed + 275;
        int v276 = seed + 276;
        int v277 = seed + 277;
        int v278 = seed + 278;
        int v279 = seed + 279;
        int v280 = seed + 280;
        int v281 = seed + 281;
        int v282 = seed + 282;
        int v283 = seed + 283;
        int v284 = seed + 284;
        int v285 = seed + 285;
        int v286 = seed + 286;
        int v287 = seed + 287;
        int v288 = seed + 288;
        int v289 = seed + 289;
        int v290 = seed + 290;
        int v291 = seed + 291;
        int v292 = seed + 292;
        int v293 = seed + 293;
        int v294 = seed + 294;
        int v295 = seed + 295;
        int v296 = seed + 296;
        int v297 = seed + 297;
        int v298 = seed + 298;
        int v299 = seed + 299;
        long l = seed * 10L;
        float f = seed / 2f;
        double d = seed / 4.0;
        Object a = "w" + seed;
        l += v299;
        f += v10;
        d *= 2;
        v299++;
        v298 += 1000;
        v297 -= 32768;
        v0 += 30000;
        int sum = 0;
        for (int i = 0; i < 5; i++) {
            sum += i * v290;
        }
        try {
            v295 /= v296 - v296;
        } catch (ArithmeticException e) {
            v295 = e.getMessage().length();
        } finally {
            v294++;
        }
        sum += v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9 + v10 + v11 + v12 + v13 + v14 + v15 + v16 + v17 + v18 + v19;
        sum += v20 + v21 + v22 + v23 + v24 + v25 + v26 + v27 + v28 + v29 + v30 + v31 + v32 + v33 + v34 + v35 + v36 + v37 + v38 + v39;
        sum += v40 + v41 + v42 + v43 + v44 + v45 + v46 + v47 + v48 + v49 + v50 + v51 + v52 + v53 + v54 + v55 + v56 + v57 + v58 + v59;
        sum += v60 + v61 + v62 + v63 + v64 + v65 + v66 + v67 + v68 + v69 + v70 + v71 + v72 + v73 + v74 + v75 + v76 + v77 + v78 + v79;
        sum += v80 + v81 + v82 + v83 + v84 + v85 + v86 + v87 + v88 + v89 + v90 + v91 + v92 + v93 + v94 + v95 + v96 + v97 + v98 + v99;
        sum += v100 + v101 + v102 + v103 + v104 + v105 + v106 + v107 + v108 + v109 + v110 + v111 + v112 + v113 + v114 + v115 + v116 + v117 + v118 + v119;
        sum += v120 + v121 + v122 + v123 + v124 + v125 + v126 + v127 + v128 + v129 + v130 + v131 + v132 + v133 + v134 + v135 + v136 + v137 + v138 + v139;
        sum += v140 + v141 + v142 + v143 + v144 + v145 + v146 + v147 + v148 + v149 + v150 + v151 + v152 + v153 + v154 + v155 + v156 + v157 + v158 + v159;
        sum += v160 + v161 + v162 + v163 + v164 + v165 + v166 + v167 + v168 + v169 + v170 + v171 + v172 + v173 + v174 + v175 + v176 + v177 + v178 + v179;
        sum += v180 + v181 + v182 + v183 + v184 + v185 + v186 + v187 + v188 + v189 + v190 + v191 + v192 + v193 + v194 + v195 + v196 + v197 + v198 + v199;
        sum += v200 + v201 + v202 + v203 + v204 + v205 + v206 + v207 + v208 + v209 + v210 + v211 + v212 + v213 + v214 + v215 + v216 + v217 + v218 + v219;
        sum += v220 + v221 + v222 + v223 + v224 + v225 + v226 + v227 + v228 + v229 + v230 + v231 + v232 + v233 + v234 + v235 + v236 + v237 + v238 + v239;
        sum += v240 + v241 + v242 + v243 + v244 + v245 + v246 + v247 + v248 + v249 + v250 + v251 + v252 + v253 + v254 + v255 + v256 + v257 + v258 + v259;
        sum += v260 + v261 + v262 + v263 + v264 + v265 + v266 + v267 + v268 + v269 + v270 + v271 + v272 + v273 + v274 + v275 + v276 + v277 + v278 + v279;
        sum += v280 + v281 + v282 + v283 + v284 + v285 + v286 + v287 + v288 + v289 + v290 + v291 + v292 + v293 + v294 + v295 + v296 + v297 + v298 + v299;
        return l + " " + f + " " + d + " " + a + " " + v299 + " " + v298 + " " + v297 + " " + v0 + " " + v295 + " " + v294
            + " " + sum;
    }

    static long many(int x,
            long a0, long a1, long a2, long a3, long a4, long a5, long a6, long a7, long a8, long a9,
            long a10, long a11, long a12, long a13, long a14, long a15, long a16, long a17, long a18, long a19,
            long a20, long a21, long a22, long a23, long a24, long a25, long a26, long a27, long a28, long a29,
            long a30, long a31, long a32, long a33, long a34, long a35, long a36, long a37, long a38, long a39,
            long a40, long a41, long a42, long a43, long a44, long a45, long a46, long a47, long a48, long a49,
            long a50, long a51, long a52, long a53, long a54, long a55, long a56, long a57, long a58, long a59,
            long a60, long a61, long a62, long a63, long a64, long a65, long a66, long a67, long a68, long a69,
            long a70, long a71, long a72, long a73, long a74, long a75, long a76, long a77, long a78, long a79,
            long a80, long a81, long a82, long a83, long a84, long a85, long a86, long a87, long a88, long a89,
            long a90, long a91, long a92, long a93, long a94, long a95, long a96, long a97, long a98, long a99, double y) {
        return x + a0 * 3 + a50 * 5 + a99 * 7 + (long) y;
    }

    public static void main(String[] args) {
        System.out.println(wide(1));
        System.out.println(wide(-500));
        System.out.println(many(1,
            0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L,
            10L, 11L, 12L, 13L, 14L, 15L, 16L, 17L, 18L, 19L,
            20L, 21L, 22L, 23L, 24L, 25L, 26L, 27L, 28L, 29L,
            30L, 31L, 32L, 33L, 34L, 35L, 36L, 37L, 38L, 39L,
            40L, 41L, 42L, 43L, 44L, 45L, 46L, 47L, 48L, 49L,
            50L, 51L, 52L, 53L, 54L, 55L, 56L, 57L, 58L, 59L,
            60L, 61L, 62L, 63L, 64L, 65L, 66L, 67L, 68L, 69L,
            70L, 71L, 72L, 73L, 74L, 75L, 76L, 77L, 78L, 79L,
            80L, 81L, 82L, 83L, 84L, 85L, 86L, 87L, 88L, 89L,
            90L, 91L, 92L, 93L, 94L, 95L, 96L, 97L, 98L, 99L, 2.5));
    }
}
